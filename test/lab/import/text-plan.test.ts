import { describe, expect, it } from 'vitest'
import { textPlan } from '../../../src/lab/import/text-plan.js'

describe('the plan of a text export', () => {
  it('without its configuration is refused', () => {
    expect(() => textPlan({ config: {}, tokenizer: null }, ['en'])).toThrow(/tokenizer\.json/)
  })
})
