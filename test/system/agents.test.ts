import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  ConfidentialClientApplication,
  type NodeAuthOptions,
  type ServerError,
} from '@azure/msal-node'
import { makeClientCertificate } from './clients/client-certificate.ts'
import { type Registered, Registrar } from './clients/registrar.ts'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

const exchange = ['api://AzureADTokenExchange/.default']

describe('an agent identity with unmodified MSAL for Node', () => {
  let system: SharedSystem
  let registrar: Registrar
  let blueprint: Registered
  let agent: string
  let sibling: string
  let scopes: string[]
  let api: string

  before(async () => {
    system = await sharedSystem()
    const { NODE_EXTRA_CA_CERTS = '' } = system.clientSettings
    setDefaultCACertificates([...getCACertificates(), readFileSync(NODE_EXTRA_CA_CERTS, 'utf8')])
    registrar = await Registrar.from(system.administratorSettings)
    blueprint = await registrar.registerBlueprint('MSAL agents')
    api = system.api.applicationId
    scopes = [`api://${api}/.default`]
    const { applicationId } = blueprint
    agent = await registrar.registerAgent(applicationId, 'agent', { api, roles: ['CallHiApiRole'] })
    sibling = await registrar.registerAgent(applicationId, 'sibling', { api, roles: [] })
  })

  const application = (clientId: string, credential: Omit<NodeAuthOptions, 'clientId'>) => {
    const { HTTPS_AUTH_URL = '', TENANT_ID } = system.clientSettings
    return new ConfidentialClientApplication({
      auth: {
        ...credential,
        clientId,
        authority: `${HTTPS_AUTH_URL}/${TENANT_ID}`,
        knownAuthorities: [HTTPS_AUTH_URL],
      },
    })
  }
  const withSecret = () => application(blueprint.applicationId, { clientSecret: blueprint.secret })

  async function tokenOf(app: ConfidentialClientApplication, wanted: string[], fmiPath = '') {
    const request = fmiPath === '' ? { scopes: wanted } : { scopes: wanted, fmiPath }
    const result = await app.acquireTokenByClientCredential(request)
    return { token: result?.accessToken ?? '', isCached: result?.fromCache }
  }
  const exchangedBy = async (app: ConfidentialClientApplication, fmiPath: string) =>
    (await tokenOf(app, exchange, fmiPath)).token

  /** An agent, whose assertion is the token that its blueprint obtains for a path. */
  const agentOf = (app: ConfidentialClientApplication, clientId: string, fmiPath = clientId) =>
    application(clientId, { clientAssertion: () => exchangedBy(app, fmiPath) })

  const hi = async (token: string) =>
    (await fetch(`${system.api.url}/api/v1/hi`, { headers: { authorization: `Bearer ${token}` } }))
      .status
  const refused = (code: number) => (error: ServerError) => {
    assert.equal(Number(error.errorNo), code)
    return true
  }

  const credentials: Readonly<Record<string, () => Promise<ConfidentialClientApplication>>> = {
    'a secret': async () => withSecret(),
    'a certificate': async () => {
      const { file, base64 } = await makeClientCertificate(join(system.folder, 'blueprint.pem'))
      await registrar.setCertificate(blueprint.applicationId, base64)
      const pem = readFileSync(file, 'utf8')
      const thumbprintSha256 = new X509Certificate(pem).fingerprint256.replaceAll(':', '')
      const clientCertificate = { privateKey: pem, thumbprintSha256 }
      return application(blueprint.applicationId, { clientCertificate })
    },
    'a federated token of a cluster': async () => {
      const { issuer, token } = system.cluster
      const subject = 'system:serviceaccount:agents:host'
      const audiences = ['api://AzureADTokenExchange']
      const credential = { name: 'cluster', issuer, subject, audiences }
      await registrar.trust(blueprint.applicationId, credential)
      return application(blueprint.applicationId, { clientAssertion: token({ sub: subject }) })
    },
  }
  for (const [name, authenticate] of Object.entries(credentials))
    it(`calls the API with its role, by ${name} of its blueprint, and again from the cache`, async () => {
      const app = agentOf(await authenticate(), agent)
      const first = await tokenOf(app, scopes)
      const again = await tokenOf(app, scopes)
      assert.deepEqual([await hi(first.token), first.isCached, again.isCached], [200, false, true])
      assert.equal(again.token, first.token)
    })

  it('shares no token with another agent of the blueprint', async () => {
    const app = withSecret()
    const [own, other] = [await exchangedBy(app, agent), await exchangedBy(app, sibling)]
    assert.notEqual(own, other)
    assert.deepEqual(await tokenOf(app, exchange, agent), { token: own, isCached: true })
    const { token } = await tokenOf(agentOf(app, sibling), scopes)
    assert.equal(await hi(token), 403, 'the sibling has no role')
  })

  it('is refused by an API if it presents its token for token exchange', async () => {
    assert.equal(await hi(await exchangedBy(withSecret(), agent)), 401)
  })

  const refusals: readonly [string, number, () => Promise<unknown>][] = [
    ['the blueprint names no agent', 82008, () => tokenOf(withSecret(), exchange)],
    ['the blueprint requests the API', 82001, () => tokenOf(withSecret(), scopes)],
    [
      'a sibling presents its token',
      700213,
      () => tokenOf(agentOf(withSecret(), sibling, agent), scopes),
    ],
    [
      'the host of its blueprint has a federated token of another application',
      700231,
      async () => {
        const { issuer, token } = system.cluster
        const subject = 'system:serviceaccount:agents:chained'
        const audiences = ['api://AzureADTokenExchange']
        const { applicationId } = await registrar.registerWithoutConsent(
          String(system.clientSettings.CLIENT_ID),
        )
        await registrar.trust(applicationId, { name: 'cluster', issuer, subject, audiences })
        const middle = application(applicationId, { clientAssertion: token({ sub: subject }) })
        const own = `${system.clientSettings.HTTPS_AUTH_URL}/${system.clientSettings.TENANT_ID}/v2.0`
        await registrar.trust(blueprint.applicationId, {
          name: 'middle',
          issuer: own,
          subject: await registrar.principalOf(applicationId),
          audiences,
        })
        const clientAssertion = await exchangedBy(middle, '')
        const chained = application(blueprint.applicationId, { clientAssertion })
        return await tokenOf(chained, exchange, agent)
      },
    ],
  ]
  for (const [what, code, request] of refusals)
    it(`gets ${code} if ${what}`, async () => {
      await assert.rejects(request, refused(code))
    })
})
