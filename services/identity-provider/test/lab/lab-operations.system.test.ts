import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { serverManagementAppId } from '@greeting/directory'
import { type LabProvider, startLabProvider } from '../../src/lab.ts'
import { serverManagementUri } from '../../src/management/privileges/built-in-apis.ts'
import { registrationsFile } from '../provider-process.ts'

type Settings = Readonly<Record<string, string | undefined>>

async function tokenOf(url: string, settings: Settings, scope: string): Promise<string> {
  const { TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '' } = settings
  const response = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      scope,
    }),
  })
  return (await response.json()).access_token
}

describe('the lab over HTTP', () => {
  let provider: LabProvider
  let administrator: Settings
  let api = ''
  let authorization = ''
  const server = `${serverManagementUri}/.default`

  before(async () => {
    provider = await startLabProvider({ registrations: registrationsFile })
    administrator = parseEnv(await readFile(join(provider.dataDir, 'administrator.env'), 'utf8'))
    const seeded = JSON.parse(await readFile(join(provider.dataDir, 'seeded.json'), 'utf8'))
    api = seeded.apis[0].applicationId
    authorization = `Bearer ${await tokenOf(provider.url, administrator, server)}`
  })
  after(() => provider.stop())

  const call = (method: string, path: string, body?: object, headers: object = { authorization }) =>
    fetch(`${provider.url}/lab${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  const json = async (method: string, path: string, body?: object) =>
    (await call(method, path, body)).json()
  const keys = () => fetch(`${provider.url}/common/discovery/keys`)

  it('responds with 401 on every path if the token is missing', async () => {
    for (const path of ['/faults', '/clock', '/unknown']) {
      assert.equal((await call('GET', path, undefined, {})).status, 401)
    }
  })

  it('responds with 401 to a token for another API, and to a forged token for the lab', async () => {
    const graph = await tokenOf(provider.url, administrator, 'https://graph.microsoft.com/.default')
    const { access_token: forged } = await json('POST', '/tokens', { api })
    for (const token of [graph, forged]) {
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await call('GET', '/faults', undefined, headers)).status, 401)
    }
  })

  it('responds with 403 to a token without an administrator role', async () => {
    for (const roles of [[], ['SigningKey.ReadWrite.All'], ['Tenant.ReadWrite.All']]) {
      const body = { api: serverManagementAppId, roles }
      const { access_token: token } = await json('POST', '/tokens', body)
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await call('GET', '/faults', undefined, headers)).status, 403, `${roles}`)
    }
  })

  it('arms, lists and removes faults', async () => {
    const armed = await json('POST', '/faults', { at: 'keys', fault: 'status', times: 2 })
    assert.deepEqual([armed.id, armed.applied, armed.isArmed], ['fault-1', 0, true])
    assert.equal((await keys()).status, 503)
    const { value } = await json('GET', '/faults')
    assert.equal(value[0].applied, 1)
    assert.equal((await call('DELETE', `/faults/${armed.id}`)).status, 204)
    assert.equal((await call('DELETE', `/faults/${armed.id}`)).status, 400)
    assert.equal((await keys()).status, 200)
  })

  it('refuses an invalid fault, and describes its error', async () => {
    const response = await call('POST', '/faults', { at: 'keys', fault: 'status', status: 1 })
    assert.equal(response.status, 400)
    assert.match((await response.json()).error.message, /^status: /)
  })

  it('moves the clock', async () => {
    const { offsetMs } = await json('POST', '/clock', { advanceSeconds: 600 })
    assert.ok(Math.abs(offsetMs - 600_000) < 5000)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const frozen = await json('POST', '/clock', { freeze: tomorrow })
    assert.deepEqual([frozen.now, frozen.isFrozen], [tomorrow, true])
    // The token of the administrator has expired at that time: a lab can be left only by a new one.
    assert.equal((await call('GET', '/clock')).status, 401)
    authorization = `Bearer ${await tokenOf(provider.url, administrator, server)}`
    assert.equal((await json('POST', '/clock', { reset: true })).offsetMs, 0)
    authorization = `Bearer ${await tokenOf(provider.url, administrator, server)}`
  })

  it('creates valid and forged tokens', async () => {
    const { access_token: token } = await json('POST', '/tokens', { api, claims: { ver: '9' } })
    assert.equal(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).ver, '9')
    const { genuine, forgeries } = await json('POST', '/forgeries', { api })
    assert.ok(forgeries.length >= 40 && genuine.split('.').length === 3)
    const unknown = await call('POST', '/tokens', { api: 'no-api' })
    assert.match((await unknown.json()).error.message, /No API has the application ID no-api/)
  })

  it('makes the secrets of a client expire', async () => {
    const { clients } = JSON.parse(await readFile(join(provider.dataDir, 'seeded.json'), 'utf8'))
    const [{ applicationId, clientSecret }] = clients
    assert.equal((await call('POST', `/clients/${applicationId}/expire-secrets`)).status, 204)
    const settings = { ...administrator, CLIENT_ID: applicationId, CLIENT_SECRET: clientSecret }
    assert.equal(await tokenOf(provider.url, settings, `api://${api}/.default`), undefined)
    assert.equal((await call('POST', '/clients/unknown/expire-secrets')).status, 400)
  })

  it('creates a token of another issuer', async () => {
    const { issuer, token } = await json('POST', '/federated-tokens', {
      subject: 'a',
      claims: { b: 1 },
    })
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    assert.deepEqual([claims.iss, claims.sub, claims.b], [issuer, 'a', 1])
  })

  it('shows requests and misuses without secrets, and deletes them on request', async () => {
    const { value } = await json('GET', '/requests')
    const { CLIENT_SECRET = '' } = administrator
    assert.ok(value.length > 0 && !JSON.stringify(value).includes(CLIENT_SECRET))
    const misuses = await json('GET', '/misuses')
    assert.ok(misuses.value.some(({ rule }: { rule: string }) => rule === 'token_not_reused'))
    await call('POST', '/reset')
    assert.deepEqual((await json('GET', '/requests')).value, [])
  })

  it('rotates the keys at once', async () => {
    const { kid } = await json('POST', '/keys/rotate')
    assert.ok((await (await keys()).text()).includes(kid))
  })

  it('announces in discovery that this is not a production server', async () => {
    const url = `${provider.url}/common/.well-known/openid-configuration`
    assert.match((await (await fetch(url)).json()).greeting_lab, /Never use it in production/)
  })
})
