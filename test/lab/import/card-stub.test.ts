import { describe, expect, it } from 'vitest'
import { type CardFacts, cardStub } from '../../../src/lab/import/card-stub.js'

describe('the card of an import', () => {
  const facts: CardFacts = {
    manifest: { id: 'm', mediaTypes: ['image'], selfTest: { file: 'selftest.png', risk: 0.5, tolerance: 0.02 } },
    classes: { labels: ['Real', 'Fa|ke'], fake: [1] },
    export: { folder: '', license: null, config: { architectures: ['ViT'], _name_or_path: '' } },
    guesses: ['A guess with `marks` and\na line.'],
    agreement: null,
  }

  it('states what is known and what is unknown', () => {
    const card = cardStub(facts)
    expect(card).toContain('| Architecture | ViT |')
    expect(card).toContain('| Name in the export | not stated |')
    expect(card).toContain('| License in the export | not stated |')
    expect(card).toContain('| Classes | Real, Fa\\|ke (fake) |')
    expect(card).toContain('- A guess with \\`marks\\` and a line.\n')
  })

  it('states the difference to the original where it was compared', () => {
    expect(cardStub(facts)).not.toContain('Agreement')
    const agreement = { compared: 3, largest: 0.25, worst: '*a*.png', mean: 0.1, refused: ['b.png (media-too-small)'] }
    const card = cardStub({ ...facts, agreement })
    expect(card).toContain('## Agreement with the original')
    expect(card).toContain('on 3 files: mean difference of the logit 0.1000, largest 0.2500 (\\*a\\*.png).')
    expect(card).toContain('Refused, so not compared: b.png (media-too-small).')
  })

  it('lets no text of an export become Markdown', () => {
    const config = { model_type: '[x](http://evil.example)\n# Head', _name_or_path: '<img src=x>|' }
    const card = cardStub({ ...facts, export: { ...facts.export, config, license: '*bold*' } })
    expect(card).toContain('| \\[x\\](http://evil.example) \\# Head |')
    expect(card).toContain('| \\<img src=x\\>\\| |')
    expect(card).toContain('| \\*bold\\* |')
  })
})
