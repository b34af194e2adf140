import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { readAssertion } from '../../src/issuance/assertion.ts'
import {
  findCertificate,
  findTlsCertificate,
  hasValidSignature,
  signerOf,
} from '../../src/issuance/certificate-authentication.ts'
import { findClient } from '../../src/issuance/client.ts'
import { Refused } from '../../src/refusals/refusal.ts'
import {
  assertionOf,
  type ClientCertificate,
  clientCertificate,
  v2Endpoint,
} from '../endpoints/client-certificate.ts'
import { clientId } from '../endpoints/test-service.ts'

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
    ['at its first moment', '2026-01-01T00:00:00.000Z', 'good'],
    ['by a clock that is late within the tolerance', '2025-12-31T23:59:00.000Z', 'good'],
    [
      'by a clock that is later than the tolerance',
      '2025-12-31T23:58:59.999Z',
      'assertion_key_expired',
    ],
    ['at its last moment', '2026-12-31T23:59:59.999Z', 'good'],
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
      const result = findCertificate(
        assertion,
        signerOf(client),
        audiences,
        at(now),
        toleranceSeconds,
      )
      if (result instanceof Refused) {
        assert.equal(result.refusal.reason, expected)
        return
      }
      assert.equal(expected, 'good')
      assert.equal(await hasValidSignature(assertion, result), true)
    })
  }
})

describe('a certificate of a service principal', () => {
  const neighbourId = guid(0xa3)
  const [home, other] = [tenant(), tenant({ id: guid(2), domains: [] })]
  let certificate: ClientCertificate
  let directory: DirectoryIndex
  before(async () => {
    certificate = await clientCertificate()
    directory = new DirectoryIndex()
    const keyCredentials = [certificate.credential]
    const [elsewhere, neighbour] = [{ tenantId: other.id }, { appId: neighbourId }]
    const changes = [
      put('application', application({ appId: clientId })),
      put('servicePrincipal', servicePrincipal({ appId: clientId })),
      put(
        'servicePrincipal',
        servicePrincipal({ ...elsewhere, id: guid(3), appId: clientId, keyCredentials }),
      ),
      put('application', application({ ...neighbour, id: guid(4) })),
      put('servicePrincipal', servicePrincipal({ ...elsewhere, ...neighbour, id: guid(5) })),
    ]
    directory.apply(
      1,
      changes.map((change) => ({ ...change, mark: 'mark 1' })),
    )
  })

  const keyId = () => certificate.credential.keyId
  for (const [title, where, appId, expected] of [
    ['authenticates its application in its tenant', other, clientId, keyId],
    ['is unknown in another tenant', home, clientId, () => 'assertion_key_unknown'],
    ['is unknown for another application', other, neighbourId, () => 'assertion_key_unknown'],
  ] as const) {
    it(`${title}, by an assertion and by mutual TLS`, async () => {
      const claims = { iss: appId, sub: appId }
      const assertion = readAssertion(await assertionOf(certificate, { claims }))
      assert.ok(!(assertion instanceof Refused))
      const client = findClient(directory, where, appId)
      assert.ok(client)
      const now = new Date()
      const found = findCertificate(
        assertion,
        signerOf(client),
        new Set([v2Endpoint]),
        now,
        toleranceSeconds,
      )
      const result = found instanceof Refused ? found.refusal.reason : found.credential.keyId
      assert.equal(result, expected())
      const { sha256Thumbprint } = certificate.credential
      const byTls = findTlsCertificate(sha256Thumbprint, client, now, toleranceSeconds)
      assert.equal(byTls instanceof Refused ? byTls.refusal.reason : byTls.keyId, expected())
    })
  }
})
