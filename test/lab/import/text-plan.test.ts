import { describe, expect, it } from 'vitest'
import { textPlan } from '../../../src/lab/import/text-plan.js'

describe('the plan of a text export', () => {
  it('without its configuration is refused', () => {
    expect(() => textPlan({ config: {}, tokenizer: null }, ['en'])).toThrow(/tokenizer\.json/)
  })

  it.each([
    [{ model_type: 'bert', max_position_embeddings: 512 }, 512, 512],
    [{ model_type: 'roberta', max_position_embeddings: 514 }, null, 512],
    [{ model_type: 'deberta' }, 256, 256],
    [{}, null, 512],
  ])('of %j with a tokenizer of %j takes %j tokens', (config, maxLength, expected) => {
    const { preprocessing, guesses } = textPlan({ config, tokenizer: { maxLength } }, ['en', 'de'])
    expect(preprocessing).toMatchObject({ languages: ['en', 'de'], features: { maxTokens: expected } })
    expect(guesses).toContainEqual(expect.stringContaining(`more than ${expected} tokens is scored in windows`))
  })
})
