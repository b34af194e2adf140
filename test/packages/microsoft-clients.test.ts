import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { testClients } from '../system/clients/client-tests.ts'
import { Registrar } from '../system/clients/registrar.ts'
import { run } from '../system/greeting-process.ts'
import {
  readSettings,
  type Settings,
  type SharedSystem,
  sharedSystem,
} from '../system/shared-system.ts'
import { peerFolder } from './program.ts'

testClients(
  [
    { name: '@azure/msal-node', file: 'microsoft', prints: '200 Hi' },
    { name: '@azure/identity', file: 'microsoft', prints: '200 Hi' },
  ],
  peerFolder,
)

/** For each client ID, and for none, calls the greeting API by each credential of @azure/identity. */
const program = `
import { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'
const scope = 'api://' + process.env.API_APPLICATION_ID + '/.default'
const credentials = [
  new ManagedIdentityCredential(),
  new DefaultAzureCredential(),
  ...process.env.CLIENT_IDS.split(' ').map((clientId) => new ManagedIdentityCredential({ clientId })),
]
for (const credential of credentials)
  try {
    const { token } = await credential.getToken(scope)
    const headers = { authorization: 'Bearer ' + token }
    const answer = await fetch(process.env.BASE_URL + '/api/v1/hi', { headers })
    console.log(answer.status, await answer.text())
  } catch (error) {
    console.log(error.name)
  }
`

/** The program of some pods, with the variables that the webhook of Kubernetes sets. */
const podProgram = `
import { WorkloadIdentityCredential } from '@azure/identity'
const scope = 'api://' + process.env.API_APPLICATION_ID + '/.default'
for (const file of process.env.TOKEN_FILES.split(' '))
  try {
    process.env.AZURE_FEDERATED_TOKEN_FILE = file
    const credential = new WorkloadIdentityCredential({ disableInstanceDiscovery: true })
    const { token } = await credential.getToken(scope)
    const headers = { authorization: 'Bearer ' + token }
    const answer = await fetch(process.env.BASE_URL + '/api/v1/hi', { headers })
    console.log(answer.status, await answer.text())
  } catch (error) {
    console.log(error.message.match(/AADSTS[0-9]+/)?.[0] ?? error.message)
  }
`

/** How each library lets a managed identity stand for an application: `own` and `tokenOf`. */
const chainLibraries: Readonly<Record<string, string>> = {
  '@azure/identity': `
import { ClientAssertionCredential, ManagedIdentityCredential } from '@azure/identity'
const identity = new ManagedIdentityCredential()
const own = async () => (await identity.getToken(exchange + '/.default')).token
const tokenOf = async (clientId, scope) => {
  const options = { authorityHost: AZURE_AUTHORITY_HOST, disableInstanceDiscovery: true }
  const credential = new ClientAssertionCredential(AZURE_TENANT_ID, clientId, own, options)
  return (await credential.getToken(scope)).token
}
`,
  '@azure/msal-node': `
import { ConfidentialClientApplication, ManagedIdentityApplication } from '@azure/msal-node'
const identity = new ManagedIdentityApplication()
const own = async () => (await identity.acquireToken({ resource: exchange })).accessToken
const tokenOf = async (clientId, scope) => {
  const authority = AZURE_AUTHORITY_HOST + '/' + AZURE_TENANT_ID
  const knownAuthorities = [AZURE_AUTHORITY_HOST]
  const auth = { clientId, authority, knownAuthorities, clientAssertion: own }
  const client = new ConfidentialClientApplication({ auth })
  return (await client.acquireTokenByClientCredential({ scopes: [scope] })).accessToken
}
`,
}

/** A managed identity as the federated credential of an application: the subject, or a call as the application. */
const chainProgram = (library: string) => `
const exchange = 'api://AzureADTokenExchange'
const { APPLICATION, AZURE_TENANT_ID, AZURE_AUTHORITY_HOST, API_APPLICATION_ID, BASE_URL } = process.env
${library}
const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url'))
if (APPLICATION === undefined) console.log(claimsOf(await own()).sub)
else {
  const token = await tokenOf(APPLICATION, 'api://' + API_APPLICATION_ID + '/.default')
  const headers = { authorization: 'Bearer ' + token }
  const { status } = await fetch(BASE_URL + '/api/v1/hi', { headers })
  console.log(status, claimsOf(token).appid)
}
`

describe('managed and workload identity with @azure/identity', () => {
  let system: SharedSystem
  let folder: string
  let variables: Record<'appService' | 'virtualMachine', Settings>

  before(async () => {
    system = await sharedSystem()
    folder = await mkdtemp(join(system.folder, 'identities-'))
    await symlink(peerFolder, join(folder, 'node_modules'))
    const read = (name: string) => readSettings(join(system.dataDir, name))
    variables = {
      appService: await read('app-service.env'),
      virtualMachine: await read('virtual-machine.env'),
    }
  })

  for (const host of ['appService', 'virtualMachine'] as const)
    it(`calls the API without a secret, with the environment variables of ${host}`, async () => {
      const { API_APPLICATION_ID, BASE_URL } = system.clientSettings
      const { client, api } = system
      // The first one is a user-assigned identity, and the API is no identity of this machine.
      const CLIENT_IDS = `${client.applicationId} ${api.applicationId}`
      const env = { API_APPLICATION_ID, BASE_URL, CLIENT_IDS, ...variables[host] }
      const args = ['--input-type=module', '--eval', program]
      const { out } = await run('node', args, { cwd: folder, env })
      const expected = ['200 Hi', '200 Hi', '200 Hi', 'CredentialUnavailableError']
      assert.deepEqual(out.trim().split('\n'), expected)
    })

  it('is unnecessary in a pod, where the client exchanges the token file', async () => {
    const { API_APPLICATION_ID, BASE_URL, CLIENT_ID = '', ...client } = system.clientSettings
    const registrar = await Registrar.from(system.administratorSettings)
    await registrar.trust(CLIENT_ID, {
      name: 'cluster',
      issuer: system.cluster.issuer,
      subject: 'system:serviceaccount:jobs:nightly',
      audiences: ['api://AzureADTokenExchange'],
    })
    const files = ['jobs', 'other'].map((namespace) => {
      const file = join(folder, `token-of-${namespace}`)
      const sub = `system:serviceaccount:${namespace}:nightly`
      writeFileSync(file, system.cluster.token({ sub }))
      return file
    })
    const env = {
      API_APPLICATION_ID,
      BASE_URL,
      TOKEN_FILES: files.join(' '),
      AZURE_CLIENT_ID: CLIENT_ID,
      AZURE_TENANT_ID: client.TENANT_ID,
      AZURE_AUTHORITY_HOST: client.HTTPS_AUTH_URL,
      NODE_EXTRA_CA_CERTS: client.NODE_EXTRA_CA_CERTS,
    }
    const args = ['--input-type=module', '--eval', podProgram]
    const { out } = await run('node', args, { cwd: folder, env })
    assert.equal(out, '200 Hi\nAADSTS700213\n')
  })

  for (const [name, library] of Object.entries(chainLibraries))
    it(`is an application's federated credential with ${name}, without a setting or a secret`, async () => {
      const { API_APPLICATION_ID, BASE_URL, CLIENT_ID = '', ...client } = system.clientSettings
      const env = {
        API_APPLICATION_ID,
        BASE_URL,
        AZURE_TENANT_ID: client.TENANT_ID,
        AZURE_AUTHORITY_HOST: client.HTTPS_AUTH_URL,
        NODE_EXTRA_CA_CERTS: client.NODE_EXTRA_CA_CERTS,
        ...variables.appService,
      }
      const args = ['--input-type=module', '--eval', chainProgram(library)]
      const identity = await run('node', args, { cwd: folder, env })
      const registrar = await Registrar.from(system.administratorSettings)
      const { applicationId } = await registrar.registerWithoutConsent(CLIENT_ID)
      await registrar.trust(applicationId, {
        name: 'identity',
        issuer: `${client.AUTH_URL}/${client.TENANT_ID}/v2.0`,
        subject: identity.out.trim(),
        audiences: ['api://AzureADTokenExchange'],
      })
      const { out } = await run('node', args, {
        cwd: folder,
        env: { ...env, APPLICATION: applicationId },
      })
      // The application has no role, so the API knows it and refuses the call.
      assert.equal(out.trim(), `403 ${applicationId}`)
    })
})
