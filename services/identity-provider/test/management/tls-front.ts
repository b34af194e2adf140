import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}

/** A certificate of localhost for an hour, and its private key, both PEM. */
async function localhostCertificate() {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
    ],
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') }
}

/** Starts a fake of a proxy that terminates TLS and forwards every request. */
export async function startTlsFront() {
  const { cert, key } = await localhostCertificate()
  let target = ''
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const { method = 'GET', headers } = incoming
    const onward = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    certificate: cert,
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    passTo: (url: string) => {
      target = url
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
