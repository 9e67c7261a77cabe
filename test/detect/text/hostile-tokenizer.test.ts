import { expect, it } from 'vitest'
import { DetectorBench } from '../../support/detector-bench.js'
import { wordTokenizer, writeTokenPackage } from '../../support/text-package.js'
import { tokenClassifier } from '../../support/tiny-classifiers.js'

const TEXT = 'It was the baker who told me that his bridge would be closed for a week, and so we had to go by the lake.'
/** Words of one letter, at which the patterns below try each way to part them, and the file ends otherwise. */
const TRAP = `${TEXT} ${'a'.repeat(60)}! ${TEXT}`
const CATASTROPHIC = ['(a+)+\\s', '([a-z]+)*\\d']

/** tokenizer.json that parts its texts by a pattern of its own. */
const tokenizerBy = (pattern: string) =>
  wordTokenizer(
    { '[UNK]': 0, a: 1 },
    { pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false } },
  )

const bench = DetectorBench.forEach()

function pack(pattern: string, sample: string): Promise<string> {
  const tokenizer = JSON.stringify(tokenizerBy(pattern))
  const classes = { outputKind: 'class-logits', fakeClasses: [1] }
  const model = tokenClassifier([0, 0], [0, 0])
  return writeTokenPackage(bench.modelsDir, { tokenizer, model, sample }, undefined, classes)
}

it.each(CATASTROPHIC)(
  'a tokenizer with a catastrophic pattern %s ends a text by name, and the next one gets its risk from a new process',
  async (pattern) => {
    await pack(pattern, TEXT)
    const host = await bench.start({ timeoutMs: 3_000 })
    const text = async (name: string, content: string) =>
      host.detect({ file: await bench.write(name, content), mediaType: 'text', label: name })
    await expect(text('trap.txt', TRAP)).rejects.toMatchObject({ reason: 'detector-timeout' })
    await expect(text('plain.txt', TEXT)).resolves.toMatchObject({ detectorId: 'tiny-text', risk: 0.5 })
    expect(bench.all('child-stopped')).toMatchObject([{ cause: 'timeout' }])
  },
)
