import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { startEntra } from '@greeting/testing'
import { decodeJwt } from 'jose'
import { environment, root } from './greeting-process.ts'

type Identity = { readonly cert: string; readonly key: string | Buffer }

const roles = { 'Greeting API': ['CallHiApiRole'] } as const
const registrations = {
  apis: { 'Greeting API': { roles: ['CallHiApiRole'] } },
  clients: {
    'Greeting client': { roles, credential: 'certificate' },
    'Other client': { roles, credential: 'certificate' },
  },
} as const

describe('AS27: a certificate-bound token (RFC 8705)', () => {
  const opened = new AsyncDisposableStack()
  let ca: string
  let tokenUrl: string
  let apiUrl: string
  let own: Identity
  let other: Identity
  let clientId: string
  let scope: string

  /** Sends a request over TLS, with the certificate of a client if there is one. */
  async function send(url: string, identity: Identity | undefined, form?: object, token?: string) {
    const outgoing = request(url, {
      ca,
      agent: false,
      ...identity,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    })
    outgoing.end(form && new URLSearchParams({ ...form }).toString())
    const [response] = await once(outgoing, 'response')
    return { status: response.statusCode, body: await text(response) }
  }

  const tokenBy = (identity: Identity | undefined) =>
    send(tokenUrl, identity, { grant_type: 'client_credentials', client_id: clientId, scope })
  const greetingBy = (identity: Identity | undefined, token: string) =>
    send(`${apiUrl}/api/v1/hi`, identity, undefined, token)

  before(async () => {
    const entra = opened.use(await startEntra({ registrations, mtlsPort: 0 }))
    ca = await entra.certificateAuthority()
    const identityOf = (name: 'Greeting client' | 'Other client'): Identity => {
      const { certificate: cert, privateKey } = entra.client(name).certificate
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
    }
    own = identityOf('Greeting client')
    other = identityOf('Other client')
    const api = entra.api('Greeting API')
    clientId = entra.client('Greeting client').clientId
    scope = api.scope
    const metadata = await (await fetch(api.verification.discoveryUrl)).json()
    assert.equal(metadata.tls_client_certificate_bound_access_tokens, true)
    assert.ok(
      metadata.token_endpoint_auth_methods_supported.includes('self_signed_tls_client_auth'),
    )
    tokenUrl = `${metadata.mtls_endpoint_aliases.token_endpoint}`.replace(
      '/oauth2/',
      '/oauth2/v2.0/',
    )

    const greetingApi = spawn('node', [join(root, 'services/greeting-api/src/main.ts')], {
      env: {
        ...environment,
        ...api.environment,
        PORT: '0',
        HTTPS_PORT: '0',
        HTTPS_CERTIFICATE_FILE: join(entra.dataDir, 'tls/server.pem'),
        HTTPS_KEY_FILE: join(entra.dataDir, 'tls/server.key'),
        CERTIFICATE_BINDING: 'enforced',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    opened.defer(async () => {
      greetingApi.kill('SIGTERM')
      await once(greetingApi, 'close')
    })
    apiUrl = await httpsUrlOf(greetingApi)
  })
  after(() => opened.disposeAsync())

  it('is issued to a client that authenticates by TLS alone, and is bound to its certificate', async () => {
    const { status, body } = await tokenBy(own)
    assert.equal(status, 200, body)
    const { cnf, appidacr } = decodeJwt<{ cnf: object; appidacr: string }>(
      JSON.parse(body).access_token,
    )
    assert.deepEqual(Object.keys(cnf), ['x5t#S256'])
    assert.equal(appidacr, '2')
  })

  it('is not issued for another certificate, or without a certificate', async () => {
    const unknown = await tokenBy(other)
    assert.equal(unknown.status, 401)
    assert.match(unknown.body, /AADSTS700027/)
    const none = await tokenBy(undefined)
    assert.equal(none.status, 401)
    assert.match(none.body, /AADSTS7000216/)
  })

  it('is accepted by the greeting API only with its certificate', async () => {
    const token = JSON.parse((await tokenBy(own)).body).access_token
    assert.deepEqual(await greetingBy(own, token), { status: 200, body: 'Hi' })
    for (const thief of [other, undefined]) {
      const { status, body } = await greetingBy(thief, token)
      assert.equal(status, 401)
      assert.match(body, /invalid_token/)
    }
  })
})

async function httpsUrlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('The process has no output.')
  for await (const line of createInterface(stdout)) {
    const { msg, httpsUrl } = JSON.parse(line)
    if (msg !== 'listening') continue
    stdout.resume()
    return httpsUrl
  }
  throw new Error('The greeting API did not start.')
}
