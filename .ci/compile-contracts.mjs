// Compiles the Solidity sources to the JSON files beside them (`npm run contracts`), so that attestd runs without a
// compiler; with --check it only says which of them do not fit their source.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import solc from 'solc'

const FOLDERS = ['test/contracts']
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // No hash of the source's path and comments in the code: the same functions give the same bytes.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

const check = process.argv.includes('--check')
const drifted = FOLDERS.flatMap(sourcesIn).filter((source) => {
  const artifact = path.join(path.dirname(source), `${kebabCase(path.basename(source, '.sol'))}.json`)
  const text = `${JSON.stringify(compile(source), null, 2)}\n`
  if (fs.existsSync(artifact) && fs.readFileSync(artifact, 'utf8') === text) return false
  if (!check) fs.writeFileSync(artifact, text)
  process.stdout.write(`${check ? 'drifted' : 'written'}: ${artifact}\n`)
  return true
})
if (check && drifted.length > 0) {
  process.stdout.write('Run `npm run contracts` and commit the result.\n')
  process.exit(1)
}

function sourcesIn(folder) {
  if (!fs.existsSync(folder)) return []
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.sol'))
  return names.map((name) => path.join(folder, name))
}

/** The one contract of a file, which bears the file's name. */
function compile(source) {
  const content = fs.readFileSync(source, 'utf8')
  const file = path.basename(source)
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings: SETTINGS }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  if (output.errors?.length > 0) throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'))
  const name = path.basename(source, '.sol')
  const contract = output.contracts[file][name]
  if (!contract) throw new Error(`${source} holds no contract ${name}`)
  return {
    contract: name,
    compiler: `solc ${solc.version()}`,
    sourceSha256: createHash('sha256').update(content).digest('hex'),
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
  }
}

/** `StakeRegistry` as `stake-registry`. */
function kebabCase(name) {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
}
