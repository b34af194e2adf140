import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readAssertion } from '../../src/issuance/assertion.ts'
import {
  findCertificate,
  hasValidSignature,
} from '../../src/issuance/certificate-authentication.ts'
import { Refused } from '../../src/issuance/refusal.ts'
import { application, servicePrincipal } from '../directory/sample.ts'
import {
  assertionOf,
  type ClientCertificate,
  clientCertificate,
  v2Endpoint,
} from '../http/client-certificate.ts'
import { clientId } from '../http/test-service.ts'

const at = (text: string) => new Date(text)
const toleranceSeconds = 60

describe('a certificate', () => {
  let certificate: ClientCertificate
  let token: string
  before(async () => {
    certificate = await clientCertificate()
    token = await assertionOf(certificate)
  })

  const rows = [
    ['on its first moment', '2026-01-01T00:00:00.000Z', 'good'],
    ['by a clock that is late within the tolerance', '2025-12-31T23:59:00.000Z', 'good'],
    [
      'by a clock that is later than the tolerance',
      '2025-12-31T23:58:59.999Z',
      'assertion_key_expired',
    ],
    ['on its last moment', '2026-12-31T23:59:59.999Z', 'good'],
    [
      'after its last moment, with any tolerance',
      '2027-01-01T00:00:00.000Z',
      'assertion_key_expired',
    ],
  ] as const
  for (const [when, now, expected] of rows) {
    it(`is ${expected} ${when}`, async () => {
      const credential = {
        ...certificate.credential,
        startDateTime: at('2026-01-01T00:00:00Z'),
        endDateTime: at('2027-01-01T00:00:00Z'),
      }
      const client = {
        application: application({ appId: clientId, keyCredentials: [credential] }),
        principal: servicePrincipal(),
      }
      const assertion = readAssertion(token)
      assert.ok(!(assertion instanceof Refused))
      const audiences = new Set([v2Endpoint])
      const result = findCertificate(assertion, client, audiences, at(now), toleranceSeconds)
      if (result instanceof Refused) {
        assert.equal(result.refusal.reason, expected)
        return
      }
      assert.equal(expected, 'good')
      assert.equal(await hasValidSignature(assertion, result), true)
    })
  }
})
