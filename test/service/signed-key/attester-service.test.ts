import { expect, it } from 'vitest'
import { keyFixes } from '../../../src/service/signed-key/attester-service.js'

it('a rejection names the kind of key that is needed, where the key is of the other', () => {
  expect(keyFixes({ accessKey: 'ak_sub_1' })['service-forbidden']).toMatch(
    /^Check the stake.*ATTESTD_ACCESS_KEY is a submitter key.*use an attester key \(ak_att_\)/,
  )
  expect(keyFixes({ accessKey: 'ak_att_1' })['service-forbidden']).toMatch(
    /^Check the stake.*is an attester key.*use a submitter key \(ak_sub_\)/,
  )
  expect(keyFixes({ accessKey: 'other' })['service-forbidden']).toMatch(/^Check the stake/)
})

it('rejected credentials name the header prefix that was used', () => {
  expect(keyFixes({ headerPrefix: 'Brand' })['service-unauthorized']).toMatch(/Brand-Access-Key.*ATTESTD_HEADER_PREFIX/)
})
