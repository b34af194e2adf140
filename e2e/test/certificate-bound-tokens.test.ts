import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { decodeJwt } from 'jose'
import { makeClientCertificate } from './clients/client-certificate.ts'
import { environment, root, temporaryFolder } from './greeting-process.ts'
import { startIdentityProvider } from './identity-provider-process.ts'

type Identity = { readonly cert: string; readonly key: string }

describe('a certificate-bound token (RFC 8705)', () => {
  const opened = new AsyncDisposableStack()
  let ca: Buffer
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
    const folder = await temporaryFolder({ after: (remove) => opened.defer(remove) })
    const certificate = await makeClientCertificate(join(folder, 'own.pem'))
    await makeClientCertificate(join(folder, 'other.pem'))
    const identityOf = async (name: string) => {
      const pem = await readFile(join(folder, name), 'utf8')
      return { cert: pem, key: pem }
    }
    own = await identityOf('own.pem')
    other = await identityOf('other.pem')
    const provider = await startIdentityProvider(folder, {
      HTTPS_PORT: '0',
      MTLS_PORT: '0',
      REGISTRATIONS: join(root, 'registrations/greeting.json'),
    })
    opened.defer(() => provider.stop())
    ca = await readFile(join(folder, 'tls/authority.pem'))
    const admin = parseEnv(await readFile(join(folder, 'administrator.env'), 'utf8'))
    const tenantUrl = `${provider.url}/${admin.TENANT_ID}`
    const metadata = await (await fetch(`${tenantUrl}/.well-known/openid-configuration`)).json()
    assert.equal(metadata.tls_client_certificate_bound_access_tokens, true)
    assert.ok(
      metadata.token_endpoint_auth_methods_supported.includes('self_signed_tls_client_auth'),
    )
    tokenUrl = `${metadata.mtls_endpoint_aliases.token_endpoint}`.replace(
      '/oauth2/',
      '/oauth2/v2.0/',
    )

    const granted = await fetch(`${tenantUrl}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: admin.CLIENT_ID ?? '',
        client_secret: admin.CLIENT_SECRET ?? '',
        scope: 'https://graph.microsoft.com/.default',
      }),
    })
    const { access_token } = await granted.json()
    const graph = async (path: string, body?: object) => {
      const response = await fetch(`${provider.url}/v1.0${path}`, {
        method: body ? 'PATCH' : 'GET',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      assert.ok(response.ok, await response.clone().text())
      return response.status === 204 ? undefined : response.json()
    }
    const { value } = await graph('/applications')
    const named = (name: string) =>
      value.find(({ displayName }: { displayName: string }) => displayName === name)
    const [api, client] = [named('Greeting API'), named('Greeting client')]
    clientId = client.appId
    scope = `api://${api.appId}/.default`
    const credential = { type: 'AsymmetricX509Cert', usage: 'Verify', key: certificate.base64 }
    await graph(`/applications/${client.id}`, { keyCredentials: [credential] })

    const greetingApi = spawn('node', [join(root, 'services/greeting-api/src/main.ts')], {
      env: {
        ...environment,
        PORT: '0',
        AUTH_URL: provider.url,
        ISSUER_URL: provider.url,
        TENANT_ID: admin.TENANT_ID,
        API_APPLICATION_ID: api.appId,
        HTTPS_PORT: '0',
        HTTPS_CERTIFICATE_FILE: join(folder, 'tls/server.pem'),
        HTTPS_KEY_FILE: join(folder, 'tls/server.key'),
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

  it('is not issued for another certificate, or without one', async () => {
    const unknown = await tokenBy(other)
    assert.equal(unknown.status, 401)
    assert.match(unknown.body, /AADSTS700027/)
    const none = await tokenBy(undefined)
    assert.equal(none.status, 401)
    assert.match(none.body, /AADSTS7000216/)
  })

  it('is accepted by the greeting API from its certificate only', async () => {
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
