import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readAssertion } from '../../src/issuance/assertion.ts'
import { judgeCertificateAssertion } from '../../src/issuance/certificate-authentication.ts'
import { RefusedError } from '../../src/issuance/refusal.ts'
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
      'after its last moment, whatever the tolerance',
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
      const judged = judgeCertificateAssertion(
        readAssertion(token),
        client,
        new Set([v2Endpoint]),
        at(now),
        toleranceSeconds,
      )
      const outcome = await judged.then(
        () => 'good',
        (error) => error instanceof RefusedError && error.code,
      )
      assert.equal(outcome, expected)
    })
  }
})
