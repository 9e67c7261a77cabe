import type { DetectorManifest } from '../../detect/package/manifest.js'
import { type Agreement, agreementText } from './agreement.js'
import type { FakeClasses } from './fake-classes.js'
import type { HuggingFaceExport } from './hugging-face-export.js'

/** What a card can state of an import. */
export interface CardFacts {
  readonly manifest: Pick<DetectorManifest, 'id' | 'mediaTypes' | 'selfTest'>
  readonly classes: FakeClasses
  readonly export: Pick<HuggingFaceExport, 'config' | 'license' | 'folder'>
  readonly guesses: readonly string[]
  /** Null where nothing was compared. */
  readonly agreement: Agreement | null
}

/** card.md of an imported package: what is known, and what is not. */
export function cardStub({ manifest, classes, export: { config, license }, guesses, agreement }: CardFacts): string {
  const { id, mediaTypes, selfTest } = manifest
  const name = config._name_or_path === undefined || config._name_or_path === '' ? 'not stated' : config._name_or_path
  const labels = classes.labels.map((label, index) => `${plain(label)}${classes.fake.includes(index) ? ' (fake)' : ''}`)
  return `# ${id}

Imported from a Hugging Face export by \`attestd models import\`. Scores ${mediaTypes.join(', ')}.

| | |
|---|---|
| Architecture | ${plain(config.architectures?.join(', ') ?? config.model_type ?? 'not stated')} |
| Name in the export | ${plain(name)} |
| Classes | ${labels.join(', ')} |
| License in the export | ${plain(license ?? 'not stated')} |

## What is not known

- What it was trained on, and how well it does on media that it has not seen. Measure it on your own:
  \`attestd models eval ${id} --data INDEX\`.
- Whether its probabilities mean anything: no calibration was fitted. \`attestd models calibrate ${id} --data INDEX --write\`
  fits one and suggests a decision band.
- Whether you may use it: the license above is that of the export, if it states one, not that of its training data.
${guesses.map((guess) => `- ${plain(guess)}\n`).join('')}
The self-test sample \`${selfTest.file}\` comes with attestd. Its risk of ${selfTest.risk} is what this network returns here, which shows
that the runtime works and nothing about accuracy.
${agreement === null ? '' : `\n## Agreement with the original\n\n${agreementText(agreement).map(plain).join('\n')}\n`}`
}

/** Words of an export as one line that no Markdown is read from. */
function plain(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\\`*_{}[\]<>|#]/g, (mark) => `\\${mark}`)
    .slice(0, 300)
}
