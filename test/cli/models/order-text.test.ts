import { describe, expect, it } from 'vitest'
import type { OrderAnswer } from '../../../src/app/verbs/order-detectors.js'
import { orderLines } from '../../../src/cli/models/order-text.js'

const orderText = (answer: OrderAnswer) => orderLines(answer).join('\n')
const DIGEST = 'abcdef0123456789'.repeat(4)

describe('the outcome of an order', () => {
  const names = { id: 'a', version: '1', title: 'A', mediaTypes: ['image'] }
  const detector = { ...names, digest: DIGEST, shadow: false, weight: 2 }
  const done = { daemon: 'm:1', outcome: 'done', message: '', lost: [] }
  const failed = { daemon: 'm:2', outcome: 'manifest-invalid', message: 'no such file', lost: [] }

  it('on one daemon lists the detectors in use', () => {
    const text = orderText({ detectors: [detector], daemons: [done] })
    expect(text).toMatch(/a +1 +image +scores, weight 2 +abcdef012345$/)
    expect(text).not.toContain('outcome')
  })

  it('on several daemons lists those that did not follow it', () => {
    const text = orderText({ detectors: [detector], daemons: [done, failed] })
    expect(text).toMatch(/m:1 +done/)
    expect(text).toMatch(/m:2 +manifest-invalid +no such file/)
  })

  it('at a daemon that does not analyze has no table of detectors', () => {
    const text = orderText({ detectors: [], daemons: [done] })
    expect(text).toMatch(/m:1 +done/)
    expect(text).not.toContain('in use now')
  })

  it('warns of media without a detector', () => {
    const answer: OrderAnswer = { detectors: [], daemons: [done, { ...failed, lost: ['audio', 'text'] }] }
    expect(orderText(answer)).toContain('warning: m:2 has no detector for audio, text any more [detector-none]')
  })
})
