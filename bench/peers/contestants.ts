import { createPublicKey } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../fixtures/free-port.ts'
import { startIdentityServer, tokenRequests } from '../growth/identity-server.ts'
import { type StoreKind, Stores } from '../growth/stores.ts'
import { type CpuLoad, cpuLoad, opensslLoad } from '../load.ts'
import { benchFolder, type Program, repositoryFolder, runtimes } from '../machine.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import type { Fixture } from './fixture.ts'
import {
  type IssuanceFailure,
  type Issuer,
  proveGuarded,
  proveIssuance,
  proveOpen,
} from './proofs.ts'

/**
 * A route without a guard; the guarded route for 100 callers with one token each; the guarded route with
 * no token twice.
 */
type RouteKind = 'open' | 'remembered' | 'new'

/** A kind of request; `token` is a token request, or its signature. */
export type Kind = RouteKind | 'token'

/** The data that all programs of a run share. */
export type Setup = {
  readonly fixture: Fixture
  readonly keySet: { readonly origin: string; readonly url: string }
  /** Distinct tokens. A started program gets each of them at most once in a load of new tokens. */
  readonly tokens: readonly string[]
  /** The maximum number of new tokens in one load. */
  readonly newPerLoad: number
  /** A folder for data and configuration, removed at exit. */
  readonly folder: string
}

/** A started program: its loads, its check and its stop. */
export type Started = {
  readonly loads: ReadonlyMap<Kind, CpuLoad>
  /** Checks that the program has the features in its title; returns every failure. */
  prove(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** One row of a table. */
export type Contestant = {
  readonly id: string
  readonly title: string
  readonly table: 'resource server' | 'token endpoint'
  /** Programs of one group run at the same time and take turns: five at most, with the reference. */
  readonly group: string
  /** The reference of a table joins each of its groups. */
  readonly isReference: boolean
  readonly needs: readonly Program[]
  start(setup: Setup): Promise<Started>
}

type Start = (setup: Setup, id: string) => Promise<ServerProcess>

/** The number of callers that take turns in a load of remembered tokens. */
export const callers = 100

const serverFile = (name: string): string => join(benchFolder, 'servers', name)

/** The file of `servers/` that has the name of the row. */
const peer: Start = ({ fixture, keySet, folder }, id) => {
  const environment = {
    KEY_SET_URL: keySet.url,
    ISSUER: fixture.issuer,
    AUDIENCE: fixture.audience,
    ROLE: fixture.role,
    CLIENT_ID: fixture.clientId,
    CLIENT_SECRET: fixture.clientSecret,
  }
  return startServer({ command: [...runtimes.node, serverFile(`${id}.ts`)], environment, folder })
}

/** The greeting API with the settings of a real deployment. */
const greeting =
  (runtime: keyof typeof runtimes): Start =>
  ({ fixture, keySet, folder }) => {
    const node = join(repositoryFolder, 'services', 'greeting-api', 'src', 'main.ts')
    const file = { node, bun: serverFile('greeting-bun.ts') }[runtime]
    const environment = {
      TENANT_ID: fixture.tenantId,
      API_APPLICATION_ID: fixture.apiApplicationId,
      AUTH_URL: keySet.origin,
      ISSUER_URL: fixture.issuerUrl,
      PORT: '0',
      // Bun's allocator returns freed memory after 10 ms and then asks for it again; -1 keeps it.
      ...(runtime === 'bun' && { MIMALLOC_PURGE_DELAY: '-1' }),
    }
    return startServer({ command: [...runtimes[runtime], file], environment, folder })
  }

/** HAProxy fetches no key set, so it gets the signing key as a file. */
const haproxy: Start = async ({ fixture, folder: runFolder }, id) => {
  const folder = await mkdtemp(join(runFolder, 'haproxy-'))
  const key = createPublicKey(fixture.keys[0].privateKey)
  await writeFile(join(folder, 'key.pem'), key.export({ type: 'spki', format: 'pem' }))
  const port = await freePort()
  const { issuer, audience, role } = fixture
  const environment = { PORT: `${port}`, ISSUER: issuer, AUDIENCE: audience, ROLE: role }
  const command = ['haproxy', '-db', '-f', serverFile(`${id}.cfg`)]
  return startServer({ command, environment, folder, pollUrl: `http://127.0.0.1:${port}` })
}

type ResourceServer = Pick<Contestant, 'id' | 'title' | 'group'> &
  Partial<Pick<Contestant, 'isReference' | 'needs'>> & {
    readonly kinds: readonly RouteKind[]
    /** The path of the route without a guard; default `/`. */
    readonly open?: string
    /** Default: the file of `servers/` with this name. */
    readonly process?: Start
  }

const resourceServer = (row: ResourceServer): Contestant => ({
  table: 'resource server',
  isReference: false,
  needs: [],
  ...row,
  start: async (setup) => {
    const { id, kinds, open: path = '/', process = peer } = row
    const { fixture, tokens, newPerLoad } = setup
    const server = await process(setup, id)
    const [open, guarded] = [`${server.url}${path}`, `${server.url}/api/v1/hi`]
    const few = tokens.slice(0, callers)
    let used = 0
    const next = (count: number) => {
      used += count
      if (used > tokens.length) throw new Error('there are no new tokens left')
      return tokens.slice(used - count, used)
    }
    const loads = {
      open: cpuLoad(server, () => ({ url: open })),
      remembered: cpuLoad(server, () => ({ url: guarded, tokens: few })),
      new: cpuLoad(server, (count) => ({ url: guarded, tokens: next(count) }), newPerLoad),
    }
    return {
      loads: new Map(kinds.map((kind) => [kind, loads[kind]])),
      prove: async () => [
        ...(kinds.includes('open') ? await proveOpen(open) : []),
        ...(kinds.some((kind) => kind !== 'open') ? await proveGuarded(guarded, fixture) : []),
      ],
      stop: server.stop,
    }
  },
})

type StartedIssuer = Issuer & { readonly server: ServerProcess; stop(): Promise<void> }

/** The identity provider with a directory of one API and one client. */
const identityProvider =
  (kind: StoreKind) =>
  async ({ folder }: Setup): Promise<StartedIssuer> => {
    const stores = new Stores(await mkdtemp(join(folder, `${kind}-`)), kind)
    try {
      const server = await startIdentityServer(await stores.copyOf(1, 0))
      const { url, keySetUrl, formOf } = tokenRequests(server.url)
      const form = Object.fromEntries(new URLSearchParams(formOf(0)))
      const stop = () => server.stop().finally(() => stores.stop())
      return { tokenEndpoint: url, keySetUrl, form, server, stop }
    } catch (error) {
      await stores.stop()
      throw error
    }
  }

type TokenEndpoint = Pick<Contestant, 'id' | 'title'> & {
  /** The form field of a peer that names the audience of the token. */
  readonly audienceOf?: (fixture: Fixture) => Readonly<Record<string, string>>
  /** Default: the file of `servers/` with this name. */
  readonly process?: (setup: Setup) => Promise<StartedIssuer>
  /** The failures that the title declares. */
  readonly admitted?: readonly IssuanceFailure[]
}

const issuers = { table: 'token endpoint', group: 'token endpoints', needs: [] } as const

const tokenEndpoint = ({ id, title, admitted = [], ...row }: TokenEndpoint): Contestant => ({
  ...issuers,
  id,
  title,
  isReference: false,
  start: async (setup) => {
    const issuer = await (row.process ?? issuingPeer)(setup)
    const { server, tokenEndpoint: url, stop } = issuer
    const forms = [new URLSearchParams(issuer.form).toString()]
    return {
      loads: new Map([['token', cpuLoad(server, () => ({ url, forms }))]]),
      prove: async () => (await proveIssuance(issuer)).filter((one) => !admitted.includes(one)),
      stop,
    }
    async function issuingPeer(): Promise<StartedIssuer> {
      const { clientId, clientSecret } = setup.fixture
      const server = await peer(setup, id)
      const form = {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        ...row.audienceOf?.(setup.fixture),
      }
      const [tokenEndpoint, keySetUrl] = [`${server.url}/token`, `${server.url}/jwks`]
      return { tokenEndpoint, keySetUrl, form, server, stop: server.stop }
    }
  },
})

const openssl: Contestant = {
  ...issuers,
  id: 'openssl',
  title: '`openssl speed rsa2048`, the signature alone',
  isReference: true,
  needs: ['openssl'],
  start: async () => ({
    loads: new Map([['token', opensslLoad]]),
    prove: async () => [],
    stop: async () => undefined,
  }),
}

const [both, all] = [
  ['remembered', 'new'],
  ['open', 'remembered', 'new'],
] as const
const ours = { group: 'Greeting', open: '/healthz', kinds: all } as const
const withHaproxy = { process: haproxy, needs: ['haproxy'] } as const

const resourceServers: readonly ResourceServer[] = [
  { id: 'greeting-node', title: 'Greeting on Node', process: greeting('node'), ...ours },
  {
    id: 'greeting-bun',
    title: 'Greeting on Bun',
    process: greeting('bun'),
    needs: ['bun'],
    ...ours,
  },
  {
    id: 'haproxy-jwt-verify',
    title: 'HAProxy `jwt_verify`',
    group: 'Greeting',
    kinds: both,
    isReference: true,
    ...withHaproxy,
  },
  { id: 'node-http', title: 'bare `node:http`', group: 'Greeting', kinds: ['open', 'new'] },
  {
    id: 'haproxy-open',
    title: 'HAProxy without checks',
    group: 'others',
    kinds: ['open'],
    ...withHaproxy,
  },
  { id: 'fast-jwt', title: 'Fastify + fast-jwt, cached', group: 'Fastify', kinds: both },
  { id: 'fastify-jose', title: 'Fastify + jose', group: 'Fastify', kinds: both },
  {
    id: 'express-oauth2-jwt-bearer',
    title: 'Express + express-oauth2-jwt-bearer',
    group: 'others',
    kinds: ['remembered'],
  },
  { id: 'hono-jwk', title: 'Hono `jwk`', group: 'others', kinds: ['remembered'] },
]

const tokenEndpoints: readonly TokenEndpoint[] = [
  { id: 'sqlite', title: 'Greeting, SQLite', process: identityProvider('sqlite') },
  { id: 'postgresql', title: 'Greeting, PostgreSQL', process: identityProvider('postgresql') },
  {
    id: 'node-http-sign',
    title: 'bare `node:http` that signs and checks nothing',
    admitted: ['a wrong secret is accepted'],
  },
  {
    id: 'oidc-provider',
    title: 'node-oidc-provider',
    audienceOf: ({ audience }) => ({ resource: audience }),
  },
  {
    id: 'oauth2-mock-server',
    title: 'oauth2-mock-server (checks no secret)',
    audienceOf: ({ audience }) => ({ scope: `${audience}/.default` }),
    admitted: ['a wrong secret is accepted', 'the same token is issued twice'],
  },
]

/** Every program of a whole run, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  ...resourceServers.map(resourceServer),
  openssl,
  ...tokenEndpoints.map(tokenEndpoint),
]
