// The page of the sample media, from their list.
import fs from 'node:fs'
import path from 'node:path'

const ABOUT = `# Sample media

Free media for the demo and the sandbox. \`npm run docs\` writes this page from \`samples.json\`. Photographs are cropped, resized and
re-encoded only. Scripts of this project computed most of what is machine-made, from nothing or from these photographs and recordings, also
by published networks under a free license; two texts were written for this folder. No detector is trained, calibrated or chosen on these
files.
`

/** The text of samples/README.md. */
export function samplesPage(folder = 'samples') {
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
