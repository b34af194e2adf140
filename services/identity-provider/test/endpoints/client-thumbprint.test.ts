import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { TrustedProxies } from '@greeting/http-service'
import { client, server as serverIdentity } from '../../../../test/fixtures/tls-identities.ts'
import { clientThumbprint } from '../../src/endpoints/client-thumbprint.ts'

const der = new X509Certificate(client.cert).raw
const thumbprint = createHash('sha256').update(der).digest('base64url')
const field = `:${der.toString('base64')}:`
const remote = '10.0.0.1'
const options = { clientCertProxies: new TrustedProxies([remote, '127.0.0.1', '::1']) }

const read = (value: string | undefined, remoteAddress = '127.0.0.1') =>
  clientThumbprint(
    {
      socket: { remoteAddress },
      headers: value === undefined ? {} : { 'client-cert': value },
    } as unknown as IncomingMessage,
    options,
  )

/** Reads the field of a request over a real TLS connection, which seems to come from `address`. */
async function readOverTls(address: string): Promise<string | undefined> {
  const server = createServer(serverIdentity).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { 'client-cert': field }
  const ca = serverIdentity.cert
  const outgoing = get({ port, ca, headers, agent: false, checkServerIdentity: () => undefined })
  outgoing.on('error', () => undefined)
  const [incoming] = await once(server, 'request')
  Object.defineProperty(incoming.socket, 'remoteAddress', { value: address })
  const result = clientThumbprint(incoming, options)
  outgoing.destroy()
  server.close()
  return result
}

describe('AS27: the field Client-Cert (RFC 9440)', () => {
  for (const peer of ['127.0.0.1', '::ffff:127.0.0.1', '::1'])
    it(`is read from a listed proxy on the same machine: ${peer}`, () => {
      assert.equal(read(field, peer), thumbprint)
    })

  it('is read from a listed proxy over TLS', async () => {
    assert.equal(await readOverTls(remote), thumbprint)
  })

  it('is ignored from another peer over TLS', async () => {
    assert.equal(await readOverTls('10.0.0.2'), undefined)
  })

  const ignored: [string, () => string | undefined][] = [
    ['from a listed proxy without TLS', () => read(field, remote)],
    ['from another peer', () => read(field, '127.0.0.2')],
    ['that is absent', () => read(undefined)],
    ['that is not a byte sequence', () => read(der.toString('base64'))],
    ['that is a list', () => read(`${field}, ${field}`)],
    ['that is too large', () => read(`:${'A'.repeat(16_385)}:`)],
    ['without a connection', () => clientThumbprint(undefined, options)],
  ]
  for (const [what, result] of ignored)
    it(`is ignored ${what}`, () => {
      assert.equal(result(), undefined)
    })
})
