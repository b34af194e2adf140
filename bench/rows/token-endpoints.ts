import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresServer } from '../../fixtures/postgres-server.ts'
import { type RunningServer, startServer } from '../harness/child-processes.ts'
import type { Fixture } from '../harness/fixture.ts'
import { opensslSpeed } from '../harness/load.ts'
import { repositoryFolder, runtimes } from '../harness/programs.ts'
import { type IssuanceFailure, type Issuer, proveIssuance } from '../harness/proofs.ts'
import type { Row } from '../harness/row.ts'
import type { Setup } from '../harness/setup.ts'
import { startPeer } from './peer.ts'

type Start = (
  setup: Setup,
  cores: readonly number[],
) => Promise<Issuer & Pick<RunningServer, 'stop'>>

/** A database of the identity provider: the settings that select it, and how to stop it. */
type Store = () => Promise<{
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}>

/** The default: a file in the data folder. */
const sqlite: Store = async () => ({ settings: {}, stop: async () => undefined })

/** A database server on the core of the load generator, in place of another machine. */
const postgresql: Store = async () => {
  const server = await PostgresServer.start()
  return { settings: { DATABASE_URL: await server.database() }, stop: () => server.stop() }
}

/** The part of `seeded.json` that a client needs. */
type Seeded = {
  readonly tenantId: string
  readonly apis: readonly [{ readonly applicationId: string }]
  readonly clients: readonly [{ readonly applicationId: string; readonly clientSecret: string }]
}

const identityProviderFolder = join(repositoryFolder, 'services', 'identity-provider')

/** Starts the identity provider with a new directory of one API and one client. */
const identityProvider =
  (store: Store): Start =>
  async ({ folder }, cores) => {
    const dataDir = await mkdtemp(join(folder, 'identity-provider-'))
    const { settings, stop: stopStore } = await store()
    try {
      const environment = {
        PORT: '0',
        DATA_DIR: dataDir,
        REGISTRATIONS: join(identityProviderFolder, 'test', 'registrations', 'sample.json'),
        ...settings,
      }
      const command = [...runtimes.node, join(identityProviderFolder, 'src', 'main.ts')]
      const { url, stop } = await startServer({ command, environment, folder }, cores)
      const seeded: Seeded = JSON.parse(await readFile(join(dataDir, 'seeded.json'), 'utf8'))
      const { tenantId, apis, clients } = seeded
      return {
        tokenEndpoint: `${url}/${tenantId}/oauth2/v2.0/token`,
        keySetUrl: `${url}/${tenantId}/discovery/keys`,
        form: {
          grant_type: 'client_credentials',
          scope: `api://${apis[0].applicationId}/.default`,
          client_id: clients[0].applicationId,
          client_secret: clients[0].clientSecret,
        },
        stop: () => stop().finally(stopStore),
      }
    } catch (error) {
      await stopStore()
      throw error
    }
  }

/**
 * A peer of `servers/`.
 *
 * @param audienceOf the form field that names the audience of the token
 */
const peer =
  (file: string, audienceOf: (fixture: Fixture) => Readonly<Record<string, string>>): Start =>
  async (setup, cores) => {
    const { url, stop } = await startPeer(file, setup, cores)
    const { clientId, clientSecret } = setup.fixture
    return {
      tokenEndpoint: `${url}/token`,
      keySetUrl: `${url}/jwks`,
      form: {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        ...audienceOf(setup.fixture),
      },
      stop,
    }
  }

type Options = Partial<Pick<Row, 'group' | 'comparedWith' | 'slowToStart' | 'serverCores'>> & {
  /** Failures that the title of the row declares. */
  readonly admitted?: readonly IssuanceFailure[]
}

/** A row that measures client-credentials requests at one authorization server. */
function tokenEndpoint(id: string, title: string, start: Start, options: Options = {}): Row {
  const { admitted = [], comparedWith = [], ...rest } = options
  return {
    ...{ id, title, table: 'token endpoint', group: 'other token endpoints', tokens: 'none' },
    ...{ needs: [], comparedWith: [signatures.id, ...comparedWith], serverCores: 1 },
    ...rest,
    start: async (setup, cores) => {
      const issuer = await start(setup, cores)
      const form = await formFile(issuer, setup.folder)
      return {
        request: { url: issuer.tokenEndpoint, form },
        prove: async () =>
          (await proveIssuance(issuer)).filter((failure) => !admitted.includes(failure)),
        stop: issuer.stop,
      }
    },
  }
}

/** Writes the form to a file, so that the secret is not an argument of the load generator. */
async function formFile({ form }: Issuer, folder: string): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'form-')), 'body')
  await writeFile(file, new URLSearchParams(form).toString(), { mode: 0o600 })
  return file
}

const group = 'identity provider'

/** The upper limit of a token endpoint: openssl only signs, on the core of the server. */
const signatures: Row = {
  id: 'openssl-rsa2048-sign',
  title: '`openssl speed rsa2048`, signatures alone',
  ...{ table: 'token endpoint', group, needs: ['openssl'], comparedWith: [], tokens: 'none' },
  serverCores: 1,
  generator: opensslSpeed,
  start: async () => ({ request: { url: '' }, prove: async () => [], stop: async () => undefined }),
}

/** Both rows of our identity provider with one database. */
function ours(id: string, name: string, store: Store, slowToStart: boolean): Row[] {
  const title = `Greeting's identity provider, ${name}`
  const start = identityProvider(store)
  const twoCores = { group, serverCores: 2, comparedWith: [id], slowToStart: true } as const
  return [
    tokenEndpoint(id, title, start, { group, slowToStart }),
    tokenEndpoint(`${id}-two-cores`, `${title}, two cores`, start, twoCores),
  ]
}

/** Client-credentials requests for RS256 tokens at every product, and the signature alone. */
export const tokenEndpoints: readonly Row[] = [
  signatures,
  ...ours('identity-provider-sqlite', 'SQLite', sqlite, false),
  ...ours('identity-provider-postgresql', 'PostgreSQL', postgresql, true),
  tokenEndpoint(
    'node-http-sign',
    'bare `node:http` that signs and checks nothing',
    peer('node-http-sign', () => ({})),
    { admitted: ['a wrong secret is accepted'] },
  ),
  tokenEndpoint(
    'oidc-provider',
    'node-oidc-provider',
    peer('oidc-provider', ({ audience }) => ({ resource: audience })),
  ),
  tokenEndpoint(
    'oauth2-mock-server',
    'oauth2-mock-server (checks no secret)',
    peer('oauth2-mock-server', ({ audience }) => ({ scope: `${audience}/.default` })),
    { admitted: ['a wrong secret is accepted', 'the same token is issued twice'] },
  ),
]
