// The page of the sample media, from their list.
import fs from 'node:fs'
import path from 'node:path'

const ABOUT = `# Sample media

Free media for the demo and the sandbox; \`samples.json\` is the list that programs read, and this page is written from it
by \`npm run docs\`. Photographs are cropped, resized and re-encoded only. What is machine-made was computed by a script of
ours from these photographs and recordings or from nothing, or written for this folder; none of it is the output of a
commercial generator, and a detector need not score it right.
`

/** The text of src/sandbox/samples/README.md. */
export function samplesPage(folder = 'src/sandbox/samples') {
  const samples = JSON.parse(fs.readFileSync(path.join(folder, 'samples.json'), 'utf8'))
  const rows = samples.map(({ file, title, mediaType, made, license, source }) =>
    row([file, title, mediaType, made, license, source]),
  )
  return [
    ABOUT,
    row(['file', 'what', 'kind', 'made', 'license', 'source']),
    row(Array(6).fill('---')),
    ...rows,
    '',
  ].join('\n')
}

function row(cells) {
  return `| ${cells.join(' | ')} |`
}
