import assert from 'node:assert/strict'
import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { before, describe, it } from 'node:test'
import { checkServerIdentity, connect, createServer } from 'node:tls'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { constrainsTo } from '../../src/certificates/certificate.ts'
import {
  createAuthority,
  issueServerCertificate,
} from '../../src/certificates/certificate-authority.ts'
import type { Identity } from '../../src/certificates/certificate-checks.ts'

const names = [
  'localhost',
  '127.0.0.1',
  '::1',
  'login.contoso.example',
  '192.0.2.7',
  '*.wild.example',
]
const now = new Date()

let authority: Identity
before(async () => {
  authority = await createAuthority(names, now)
})

/** The result of a TLS client that trusts the authority, for a server with a certificate for a name. */
async function verdict(name: string, { certificate, key }: Identity): Promise<string> {
  const server = createServer({ cert: certificate, key }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: authority.certificate,
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, shown) => checkServerIdentity(name, shown),
  })
  try {
    await once(socket, 'secureConnect')
    return 'believed'
  } catch (error) {
    return (error as Error).message
  } finally {
    socket.destroy()
    server.close()
  }
}

/** A certificate with any content, signed by the authority's key. */
async function forged(subject: string, alternativeNames: x509.JsonGeneralNames): Promise<Identity> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const pkcs8 = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' })
  const signingKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: new x509.X509Certificate(authority.certificate).subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - 1000),
    notAfter: new Date(now.getTime() + 60_000),
    extensions:
      alternativeNames.length === 0
        ? []
        : [new x509.SubjectAlternativeNameExtension(alternativeNames)],
  })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { certificate: certificate.toString('pem'), key: key.toString() }
}

describe('the local authority (AS48)', () => {
  const own = ['localhost', '127.0.0.1', '::1', 'login.contoso.example', '192.0.2.7']
  for (const name of [...own, 'a.wild.example']) {
    it(`signs for ${name}`, async () => {
      assert.equal(
        await verdict(name, await issueServerCertificate(authority, [name], now)),
        'believed',
      )
    })
  }

  const foreign = [
    'login.microsoftonline.com',
    'contoso.example',
    'other.contoso.example',
    'localhost.evil.example',
    'mylocalhost',
    '192.0.2.8',
    '10.0.0.1',
    '127.0.0.2',
    '2001:db8::1',
    '::2',
  ]
  for (const name of foreign) {
    it(`is not trusted for ${name}, although its key signed the certificate`, async () => {
      const identity = await issueServerCertificate(authority, [name], now)
      assert.equal(await verdict(name, identity), 'permitted subtree violation')
    })
  }

  it('is not trusted for a foreign name beside a local one', async () => {
    const identity = await issueServerCertificate(authority, ['localhost', 'evil.example'], now)
    assert.equal(await verdict('evil.example', identity), 'permitted subtree violation')
  })

  const commonNames: readonly [string, x509.JsonGeneralNames][] = [
    ['alone', []],
    ['beside one of its addresses', [{ type: 'ip', value: '127.0.0.1' }]],
    ['beside one of its names', [{ type: 'dns', value: 'localhost' }]],
  ]
  for (const [how, alternativeNames] of commonNames) {
    it(`is not trusted for a foreign common name ${how}`, async () => {
      const identity = await forged('CN=login.microsoftonline.com', alternativeNames)
      assert.notEqual(await verdict('login.microsoftonline.com', identity), 'believed')
    })
  }

  it('has critical extensions, signs only for servers, and is valid for two years', () => {
    const certificate = new x509.X509Certificate(authority.certificate)
    assert.equal(certificate.getExtension('2.5.29.30')?.critical, true)
    assert.deepEqual(new X509Certificate(authority.certificate).keyUsage, ['1.3.6.1.5.5.7.3.1'])
    const days = (certificate.notAfter.getTime() - now.getTime()) / 86_400_000
    assert.ok(days > 729 && days < 732, `${days}`)
  })

  it('lists the names for which it may sign', () => {
    const certificate = new X509Certificate(authority.certificate)
    const allows = (...asked: string[]) => constrainsTo(certificate, asked)
    assert.equal(allows(...names), true)
    assert.equal(allows('LOCALHOST'), true)
    for (const name of foreign) assert.equal(allows('localhost', name), false, name)
  })

  it('refuses to sign any name if its name constraints are not critical', async () => {
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])
    const own = new x509.X509Certificate(authority.certificate).getExtension('2.5.29.30')
    for (const isCritical of [true, false]) {
      const { rawData } = await x509.X509CertificateGenerator.createSelfSigned({
        keys,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
        extensions: [new x509.Extension('2.5.29.30', isCritical, own?.value ?? new ArrayBuffer())],
      })
      const certificate = new X509Certificate(Buffer.from(rawData))
      assert.equal(constrainsTo(certificate, ['localhost']), isCritical)
    }
  })
})
