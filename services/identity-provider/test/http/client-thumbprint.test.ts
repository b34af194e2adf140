import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { client } from '../../../../fixtures/tls-identities.ts'
import { clientThumbprint } from '../../src/http/client-thumbprint.ts'
import { TrustedProxies } from '../../src/http/trusted-proxies.ts'

const der = new X509Certificate(client.cert).raw
const thumbprint = createHash('sha256').update(der).digest('base64url')
const field = `:${der.toString('base64')}:`
const proxy = '10.0.0.1'

const read = (value: string | undefined, remoteAddress = proxy, readsClientCert = true) =>
  clientThumbprint(
    {
      socket: { remoteAddress },
      headers: value === undefined ? {} : { 'client-cert': value },
    } as unknown as IncomingMessage,
    { readsClientCert, trustedProxies: new TrustedProxies([proxy]) },
  )

describe('the field Client-Cert (RFC 9440)', () => {
  it('counts from a trusted proxy', () => {
    assert.equal(read(field), thumbprint)
    assert.equal(read(field, `::ffff:${proxy}`), thumbprint)
  })

  const ignored: [string, () => string | undefined][] = [
    ['from another peer', () => read(field, '10.0.0.2')],
    ['without the setting', () => read(field, proxy, false)],
    ['that is absent', () => read(undefined)],
    ['that is no byte sequence', () => read(der.toString('base64'))],
    ['that is a list', () => read(`${field}, ${field}`)],
    ['that is too large', () => read(`:${'A'.repeat(16_385)}:`)],
    [
      'without a connection',
      () =>
        clientThumbprint(undefined, {
          readsClientCert: true,
          trustedProxies: new TrustedProxies(),
        }),
    ],
  ]
  for (const [what, result] of ignored)
    it(`does not count ${what}`, () => {
      assert.equal(result(), undefined)
    })
})
