import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clientSecret } from '@greeting/client'
import { mcpAuth } from '@greeting/client/mcp'
import * as v2 from '@modelcontextprotocol/client'
import * as v1Auth from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { makeClientCertificate } from './clients/client-certificate.ts'
import { type Registered, Registrar } from './clients/registrar.ts'
import { folderOfClone, type System, startSystem } from './greeting-process.ts'
import { type GuardedMcpServer, startMcpServer } from './mcp-server.ts'
import { readSettings } from './shared-system.ts'

type Side = {
  readonly system: System
  readonly server: GuardedMcpServer
  readonly client: Registered
  readonly privateKey: string
}
type Connected = {
  readonly list: () => Promise<readonly string[]>
  readonly call: (tool: string) => Promise<string | undefined>
  readonly close: () => Promise<void>
}

const identity = { name: 'client', version: '1.0.0' }
const textOf = (result: unknown) => (result as { content: { text?: string }[] }).content[0]?.text
const issuerOf = ({ system: { identityProvider } }: Side) =>
  `${identityProvider.url}/${identityProvider.tenantId}/v2.0`

async function withV1(
  side: Side,
  options: ConstructorParameters<typeof V1Transport>[1],
): Promise<Connected> {
  const client = new V1Client(identity)
  await client.connect(new V1Transport(new URL(side.server.url), options) as never)
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name) => textOf(await client.callTool({ name })),
    close: () => client.close(),
  }
}

async function withV2(
  side: Side,
  authProvider: v2.OAuthClientProvider | v2.AuthProvider,
  options: v2.ClientOptions = {},
): Promise<Connected> {
  const client = new v2.Client(identity, options)
  await client.connect(
    new v2.StreamableHTTPClientTransport(new URL(side.server.url), { authProvider }),
  )
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name) => textOf(await client.callTool({ name })),
    close: () => client.close(),
  }
}

const secretOf = ({ client: { applicationId, secret } }: Side) => ({
  clientId: applicationId,
  clientSecret: secret,
})
const keyOf = ({ client: { applicationId }, privateKey }: Side) => ({
  clientId: applicationId,
  privateKey,
  algorithm: 'RS256',
})

const ourAuth = (side: Side) =>
  mcpAuth({
    serverUrl: side.server.url,
    expectedIssuer: issuerOf(side),
    clientId: side.client.applicationId,
    credential: clientSecret(side.client.secret),
    scope: side.server.scope,
  })

/** The programs with our client, which works without the setting too. */
const ownPrograms: Readonly<Record<string, (side: Side) => Promise<Connected>>> = {
  'SDK v1 with the fetch of mcpAuth': (side) => withV1(side, { fetch: ourAuth(side).fetch }),
  'SDK v2 with mcpAuth': (side) => withV2(side, ourAuth(side)),
  'SDK v2 with mcpAuth, on the wire of 2026-07-28': (side) =>
    withV2(side, ourAuth(side), { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}

async function assertRolesOfTools(client: Connected) {
  assert.deepEqual(await client.list(), ['hi', 'hello'])
  assert.equal(await client.call('hi'), 'Hi')
  await assert.rejects(client.call('hello'), /403|insufficient|Forbidden|access_denied/i)
  await client.close()
}

/** The programs, and the code of the refusal that each one meets without the setting. */
const programs: Readonly<
  Record<string, { connect: (side: Side) => Promise<Connected>; code: number }>
> = {
  'SDK v1 with a secret': {
    connect: (side) =>
      withV1(side, {
        authProvider: new v1Auth.ClientCredentialsProvider({
          ...secretOf(side),
          expectedIssuer: issuerOf(side),
        }),
      }),
    code: 90014,
  },
  'SDK v1 with a private key': {
    connect: (side) =>
      withV1(side, {
        authProvider: new v1Auth.PrivateKeyJwtProvider({
          ...keyOf(side),
          expectedIssuer: issuerOf(side),
        }),
      }),
    code: 900144,
  },
  'SDK v2 with a secret': {
    connect: (side) =>
      withV2(
        side,
        new v2.ClientCredentialsProvider({ ...secretOf(side), expectedIssuer: issuerOf(side) }),
      ),
    code: 9010010,
  },
  'SDK v2 with a secret, on the wire of 2026-07-28': {
    connect: (side) =>
      withV2(
        side,
        new v2.ClientCredentialsProvider({ ...secretOf(side), expectedIssuer: issuerOf(side) }),
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      ),
    code: 9010010,
  },
  'SDK v2 with a private key': {
    connect: (side) =>
      withV2(
        side,
        new v2.PrivateKeyJwtProvider({ ...keyOf(side), expectedIssuer: issuerOf(side) }),
      ),
    code: 900144,
  },
}

describe('an MCP server behind the guard, with unmodified TypeScript SDKs,', () => {
  const opened = new AsyncDisposableStack()
  let on: Side
  let off: Side

  async function start(setting: 'on' | 'off'): Promise<Side> {
    const folder = folderOfClone()
    const dataDir = join(folder, '.greeting')
    const system = await startSystem(dataDir, { cwd: folder, env: { MCP_CLIENTS: setting } })
    opened.defer(async () => {
      await system.stop()
    })
    const server = await startMcpServer(system)
    opened.defer(server.stop)
    const registrar = await Registrar.from(await readSettings(join(dataDir, 'administrator.env')))
    const api = system.api.applicationId
    if (setting === 'on') await registrar.addIdentifierUri(api, server.url)
    const client = await registrar.registerClient('MCP client', { api, roles: ['CallHiApiRole'] })
    const { file, base64 } = await makeClientCertificate(join(folder, 'client.pem'))
    await registrar.setCertificate(client.applicationId, base64)
    const [privateKey = ''] =
      /-----BEGIN PRIVATE KEY-----.*?KEY-----/s.exec(readFileSync(file, 'utf8')) ?? []
    return { system, server, client, privateKey }
  }

  before(async () => {
    // The HTTP server of another test may have replaced the class. The SDKs read only responses of it.
    const { constructor: value } = await fetch('data:,')
    Object.defineProperty(globalThis, 'Response', { value, configurable: true, writable: true })
    ;[on, off] = await Promise.all([start('on'), start('off')])
  })
  after(() => opened.disposeAsync())

  for (const [name, { connect, code }] of Object.entries(programs)) {
    it(`accepts calls by ${name} with MCP_CLIENTS=on, with the role for each tool`, async () => {
      await assertRolesOfTools(await connect(on))
    })

    it(`refuses calls by ${name} without the setting: AADSTS${code}, as in Entra ID`, async () => {
      await assert.rejects(connect(off), RegExp(`AADSTS${code}`))
    })
  }

  for (const [name, connect] of Object.entries(ownPrograms)) {
    it(`accepts calls by ${name} both with and without the setting`, async () => {
      for (const side of [on, off]) await assertRolesOfTools(await connect(side))
    })
  }
})
