// The page of the sample media, from their list.
import fs from 'node:fs'
import path from 'node:path'

const ABOUT = `# Sample media

Free media for the demo and the sandbox. \`npm run docs\` writes this page from \`samples.json\`. Photographs are only cropped, resized and
re-encoded. Scripts of this project made most machine-made files, from scratch or from these photographs and recordings, some with published
networks under a free license. No detector is trained, calibrated or chosen on these files.
`

/** The text of samples/README.md. */
export function samplesPage(folder = 'samples') {
  const samples = JSON.parse(fs.readFileSync(path.join(folder, 'samples.json'), 'utf8'))
  const rows = samples.map(({ file, title, mediaType, made, license, source }) =>
    row([file, title, `${made} ${mediaType}`, license, source]),
  )
  return [ABOUT, row(['file', 'what', 'kind', 'license', 'source']), row(Array(5).fill('---')), ...rows, ''].join('\n')
}

function row(cells) {
  return `| ${cells.join(' | ')} |`
}
