// The page of the sample media, from their list.
import fs from 'node:fs'
import path from 'node:path'

const ABOUT = `# Sample media

Free media for the demo and the sandbox; \`samples.json\` is the list that programs read, and this page is written from it
by \`npm run docs\`. Photographs are cropped, resized and re-encoded only. Most of what is machine-made was computed by scripts
of ours: rendered from nothing, or made from these photographs and recordings, also by published networks under a free license
(enlarging and restyling ones; the source names package and license); two texts were written for this folder. The five
pictures by diffusion models are as a freely licensed package carries them. No detector is trained, calibrated or chosen on
these pictures. The card of \`attestd-image\` states how the five were picked.
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
