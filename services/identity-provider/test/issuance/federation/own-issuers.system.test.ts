import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { serverManagementAppId, tokenExchangeAppId, tokenExchangeUri } from '@greeting/directory'
import { decodeJwt } from 'jose'
import { startLabProvider } from '../../../src/lab.ts'
import type { LabProviderOptions } from '../../../src/startup/start-lab-provider.ts'
import { asProof } from '../../endpoints/client-certificate.ts'
import { registrationsFile } from '../../provider-process.ts'

type Registered = {
  readonly id: string
  readonly appId: string
  readonly secret: string
  readonly principalId: string
}
type Answer = { readonly status: number; readonly code: number; readonly token: string }

const guide = join(import.meta.dirname, '../../../../../docs/guides/federated-credentials.md')
const heading = '\n## Managed identity, or another application of this server\n'
/** The mistakes of the guide, each with its answer. */
const documented = (readFileSync(guide, 'utf8').split(heading)[1] ?? '')
  .split('\n## ', 1)[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| mistake'))
  .map((line) => line.slice(2, -2).split(' | ')) as string[][]
const exchange = { scope: `${tokenExchangeUri}/.default` }
const graph = { scope: 'https://graph.microsoft.com/.default' }

/** A server with a first application, and a second one that trusts the tokens of the first one. */
async function twoApplications(options: LabProviderOptions = {}) {
  const provider = await startLabProvider({ registrations: registrationsFile, ...options })
  const file = await readFile(join(provider.dataDir, 'administrator.env'), 'utf8')
  const { TENANT_ID: tenantId = '', CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(file)
  const seeded = JSON.parse(await readFile(join(provider.dataDir, 'seeded.json'), 'utf8'))
  const apiId: string = seeded.apis[0].applicationId
  const api = { scope: `api://${apiId}/.default` }

  const request = async (form: Record<string, string>, tenant = tenantId): Promise<Answer> => {
    const response = await fetch(`${provider.url}/${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    })
    const { access_token: token, error_codes: [code = 0] = [] } = await response.json()
    return { status: response.status, code, token }
  }
  const withSecret = ({ appId, secret }: Registered, target: Record<string, string>) =>
    request({ client_id: appId, client_secret: secret, ...target })
  const withToken = ({ appId }: Registered, token: string, target: Record<string, string>) =>
    request({ client_id: appId, ...asProof(token), ...target })
  const administrator = { id: '', principalId: '', appId: CLIENT_ID, secret: CLIENT_SECRET }
  const { token } = await withSecret(administrator, graph)
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${provider.url}/v1.0${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const register = async (displayName: string): Promise<Registered> => {
    const { id, appId } = await call('POST', '/applications', { displayName })
    const { id: principalId } = await call('POST', '/servicePrincipals', { appId })
    const { secretText: secret } = await call('POST', `/applications/${id}/addPassword`, {})
    return { id, appId, secret, principalId }
  }
  const trust = (of: Registered, subject: string, issuer: string, audience = tokenExchangeUri) =>
    call('POST', `/applications/${of.id}/federatedIdentityCredentials`, {
      name: `trust-${crypto.randomUUID()}`,
      issuer,
      subject,
      audiences: [audience],
    })
  const assignGraph = async ({ principalId }: Registered, value: string) => {
    const filter = "$filter=appId eq '00000003-0000-0000-c000-000000000000'"
    const [{ id: resourceId, appRoles }] = (await call('GET', `/servicePrincipals?${filter}`)).value
    const role = appRoles.find((one: { value: string }) => one.value === value)
    const body = { principalId, resourceId, appRoleId: role.id }
    await call('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, body)
  }
  const first = await register('Identity')
  const second = await register('Application')
  const issuer = `${provider.url}/${tenantId}/v2.0`
  const tokenOfOtherTenant = async () => {
    const scope = `api://${serverManagementAppId}/.default`
    const { token: administration } = await withSecret(administrator, { scope })
    const response = await fetch(`${provider.url}/management/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${administration}`, 'content-type': 'application/json' },
      body: JSON.stringify({ displayName: 'Other' }),
    })
    assert.equal(response.status, 201)
    const { id, administrator: other } = await response.json()
    const { clientId: client_id, clientSecret: client_secret } = other
    return { id, token: (await request({ client_id, client_secret, ...exchange }, id)).token }
  }
  const exchangeToken = async () => (await withSecret(first, exchange)).token
  return {
    provider,
    tenantId,
    apiId,
    api,
    issuer,
    first,
    second,
    administrator,
    request,
    withSecret,
    withToken,
    call,
    register,
    trust,
    assignGraph,
    exchangeToken,
    tokenOfOtherTenant,
  }
}

describe('an application that trusts tokens of this server', () => {
  let at: Awaited<ReturnType<typeof twoApplications>>

  before(async () => {
    at = await twoApplications()
    await at.trust(at.second, at.first.principalId, at.issuer)
    at.provider.keepState()
  })
  after(() => at.provider.stop())

  it('gets a token with such a token, without a request and without FEDERATED_ISSUER_HOSTS (AS23, entra E183)', async () => {
    const sent = await at.exchangeToken()
    const claims = decodeJwt(sent)
    assert.equal(claims.aud, tokenExchangeAppId)
    assert.equal(claims.iss, at.issuer)
    assert.equal(claims.sub, at.first.principalId)
    assert.deepEqual([claims.ver, claims.idtyp, claims.roles], ['2.0', 'app', undefined])
    const answer = await at.withToken(at.second, sent, at.api)
    assert.equal(answer.status, 200)
    const { appid, appidacr, sub } = decodeJwt(answer.token)
    assert.deepEqual([appid, appidacr, sub], [at.second.appId, '2', at.second.principalId])
  })

  it('also gets a token when the first token names the API by its ID, or has version 1', async () => {
    for (const path of ['oauth2/token', 'oauth2/v2.0/token']) {
      const target =
        path === 'oauth2/token'
          ? { resource: tokenExchangeUri }
          : { scope: `${tokenExchangeAppId}/.default` }
      const response = await fetch(`${at.provider.url}/${at.tenantId}/${path}`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: at.first.appId,
          client_secret: at.first.secret,
          ...target,
        }),
      })
      const { access_token: token } = await response.json()
      assert.equal(decodeJwt(token).aud, tokenExchangeAppId)
      assert.equal((await at.withToken(at.second, token, at.api)).status, 200)
    }
  })

  it('cannot renew its access with its own tokens, alone or with another application (entra E184, E185, E186, E187)', async () => {
    await at.provider.reset()
    await at.trust(at.first, at.first.principalId, at.issuer)
    await at.trust(at.first, at.second.principalId, at.issuer)
    const sent = await at.exchangeToken()
    const steps = [at.first, at.second]
    for (const one of steps) {
      const renewed = await at.withToken(one, sent, exchange)
      assert.equal(renewed.status, 200)
      assert.equal((await at.withToken(at.first, renewed.token, at.api)).code, 700231)
    }
  })

  const patchPrincipal = () =>
    at.call('PATCH', `/servicePrincipals/${at.first.principalId}`, { accountEnabled: false })
  const remove = (path: string) => () => at.call('DELETE', path)

  /** The mistakes of the guide. Each ends with the code of the answer; some have several causes. */
  const mistakes: Readonly<Record<string, readonly (() => Promise<number>)[]>> = {
    'the subject is the application ID of the identity': [
      async () => {
        const other = await at.register('Other')
        await at.trust(other, at.first.appId, at.issuer)
        return (await at.withToken(other, await at.exchangeToken(), at.api)).code
      },
    ],
    'the token is for another API': [
      async () => {
        const forged = await at.provider.lab.mint({
          api: at.apiId,
          client: at.first.appId,
          claims: { iss: at.issuer, aud: at.first.appId },
        })
        const other = await at.register('Other')
        await at.trust(other, at.first.principalId, at.issuer, at.first.appId)
        return (await at.withToken(other, forged, at.api)).code
      },
      async () => {
        const { token } = await at.withSecret(at.first, at.api)
        const { aud, iss } = decodeJwt(token)
        await at.trust(at.second, at.first.principalId, String(iss), String(aud))
        return (await at.withToken(at.second, token, at.api)).code
      },
    ],
    'the issuer has no `/v2.0` at its end': [
      async () => {
        const other = await at.register('Other')
        await at.trust(other, at.first.principalId, `${at.provider.url}/${at.tenantId}/`)
        return (await at.withToken(other, await at.exchangeToken(), at.api)).code
      },
    ],
    'the identity is in another tenant': [
      async () => {
        const { id, token } = await at.tokenOfOtherTenant()
        await at.trust(at.second, String(decodeJwt(token).sub), `${at.provider.url}/${id}/v2.0`)
        return (await at.withToken(at.second, token, at.api)).code
      },
    ],
    'the identity itself authenticated with a federated token': [
      async () => {
        await at.trust(at.first, at.second.principalId, at.issuer)
        const { token } = await at.withToken(at.second, await at.exchangeToken(), exchange)
        return (await at.withToken(at.first, token, at.api)).code
      },
    ],
    'the identity was disabled or deleted': [
      afterUse(patchPrincipal),
      afterUse(() => remove(`/servicePrincipals/${at.first.principalId}`)()),
      afterUse(() => remove(`/applications/${at.first.id}`)()),
    ],
    'the token has expired': [
      afterUse(async () => at.provider.lab.clock.advance({ seconds: 5400 })),
    ],
    'the key of the token was revoked': [afterUse(() => at.provider.lab.keys.revoke())],
    'the application requests Microsoft Graph, and the identity lacks one of its management roles':
      [
        async () => {
          await at.assignGraph(at.second, 'Application.ReadWrite.All')
          return (await at.withToken(at.second, await at.exchangeToken(), graph)).code
        },
      ],
  }

  function afterUse(change: () => Promise<unknown>): () => Promise<number> {
    return async () => {
      const sent = await at.exchangeToken()
      assert.equal((await at.withToken(at.second, sent, at.api)).status, 200)
      await change()
      return (await at.withToken(at.second, sent, at.api)).code
    }
  }

  it('shows each mistake of the guide', () =>
    assert.deepEqual(
      documented.map(([mistake]) => mistake),
      Object.keys(mistakes),
    ))

  for (const [mistake = '', answer] of documented)
    for (const [index, codeOf] of (mistakes[mistake] ?? []).entries())
      it(`gets ${answer} when ${mistake} (${index + 1})`, async () => {
        await at.provider.reset()
        assert.equal(String(await codeOf()), answer)
      })

  it('gets no token if a claim was changed', async () => {
    await at.provider.reset()
    const sent = await at.exchangeToken()
    const [header, claims = '', signature] = sent.split('.')
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(sent), uti: 'x' })).toString(
      'base64url',
    )
    assert.notEqual(changed, claims)
    const answer = await at.withToken(at.second, `${header}.${changed}.${signature}`, at.api)
    assert.equal(answer.code, 50013)
  })

  it('gets no token for a management API if the first application lacks its roles', async () => {
    await at.provider.reset()
    await at.assignGraph(at.second, 'Application.ReadWrite.All')
    const sent = await at.exchangeToken()
    assert.equal((await at.withToken(at.second, sent, graph)).code, 501051)
    assert.equal((await at.withToken(at.second, sent, at.api)).status, 200)
    await at.assignGraph(at.first, 'Application.ReadWrite.All')
    const { status, token } = await at.withToken(at.second, sent, graph)
    assert.equal(status, 200)
    assert.deepEqual(decodeJwt(token).roles, ['Application.ReadWrite.All'])
  })
})

describe('the issuers of this server', () => {
  const genuine = {
    issuerUrl: 'https://sts.windows.net',
    issuerUrlV2: 'https://login.microsoftonline.com',
  }

  it('are recognized as Entra ID issuers too, and cause no request', async (test) => {
    const at = await twoApplications(genuine)
    test.after(() => at.provider.stop())
    const issuer = `https://login.microsoftonline.com/${at.tenantId}/v2.0`
    await at.trust(at.second, at.first.principalId, issuer)
    const sent = await at.exchangeToken()
    assert.equal(decodeJwt(sent).iss, issuer)
    assert.equal((await at.withToken(at.second, sent, at.api)).status, 200)

    // The issuer of v1.0 tokens is one of this server too: no request, but no token either.
    const { token } = await at.withSecret(at.first, at.api)
    const { aud, iss } = decodeJwt(token)
    assert.equal(iss, `https://sts.windows.net/${at.tenantId}/`)
    await at.trust(at.second, at.first.principalId, String(iss), String(aud))
    assert.equal((await at.withToken(at.second, token, at.api)).code, 700229)

    // A tenant of the real service is another issuer, with the rules of all others.
    const foreign = `https://login.microsoftonline.com/${crypto.randomUUID()}/v2.0`
    await at.trust(at.second, at.first.principalId, foreign)
    const forged = await at.provider.lab.mint({
      api: tokenExchangeAppId,
      client: at.first.appId,
      claims: { iss: foreign },
    })
    assert.equal((await at.withToken(at.second, forged, at.api)).code, 501661)
  })

  it('accept each token once, by its uti, if assertions are valid once', async (test) => {
    const at = await twoApplications({ assertionUse: 'once' })
    test.after(() => at.provider.stop())
    await at.trust(at.second, at.first.principalId, at.issuer)
    const sent = await at.exchangeToken()
    assert.equal((await at.withToken(at.second, sent, at.api)).status, 200)
    assert.equal((await at.withToken(at.second, sent, at.api)).code, 700027)
  })
})
