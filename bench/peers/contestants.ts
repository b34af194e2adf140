import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/fixtures/free-port.ts'
import { startIdentityServer, tokenRequests } from '../growth/identity-server.ts'
import { type StoreKind, Stores } from '../growth/stores.ts'
import { type CpuLoad, cpuLoad, opensslLoad } from '../load.ts'
import { benchFolder, type Program, repositoryFolder, runtimes } from '../machine.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { startAuthorizer, startEnvoy, startOauth2Proxy } from './authorizers.ts'
import { librariesOf, sources, startCompiled } from './compiled.ts'
import type { Fixture } from './fixture.ts'
import {
  type IssuanceFailure,
  type Issuer,
  proveGuarded,
  proveIssuance,
  proveOpen,
} from './proofs.ts'

/**
 * The kinds of routes: open, open with a token that is not read, guarded for 100 callers with one
 * token each, and guarded with no token used twice.
 */
export type RouteKind = 'open' | 'unread' | 'remembered' | 'new'

/** A kind of request. `token` means a token request or its signature. */
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
  stop(): Promise<unknown>
}

/** One row of a table. */
export type Contestant = {
  readonly id: string
  readonly title: string
  readonly table: 'resource server' | 'token endpoint'
  /** Programs of one group run at the same time and take turns: five at most, with the references. */
  readonly group: string
  /** The references of a table join each of its groups. */
  readonly isReference?: true
  readonly needs?: readonly Program[]
  /** The libraries of the title, each with its version. */
  readonly libraries?: readonly string[]
  start(setup: Setup): Promise<Started>
}

type Start = (setup: Setup, id: string) => Promise<ServerProcess>

/** The number of callers that take turns in a load with cached tokens. */
export const callers = 100

const serverFile = (name: string): string => join(benchFolder, 'servers', name)

const environmentOf = ({ fixture, keySet }: Setup) => ({
  KEY_SET_URL: keySet.url,
  ISSUER: fixture.issuer,
  AUDIENCE: fixture.audience,
  ROLE: fixture.role,
  CLIENT_ID: fixture.clientId,
  CLIENT_SECRET: fixture.clientSecret,
})

/** The server of `servers/peer-servers.ts` that has the name of the row. */
const peer: Start = (setup, id) =>
  startServer({
    command: [...runtimes.node, serverFile('peer-servers.ts'), id],
    environment: environmentOf(setup),
    folder: setup.folder,
  })

/** The greeting API with the settings of a real deployment. */
const greeting =
  (runtime: keyof typeof runtimes): Start =>
  ({ fixture, keySet, folder }) => {
    const node = [join(repositoryFolder, 'services', 'greeting-api', 'src', 'main.ts')]
    const file = { node, bun: [serverFile('peer-servers.ts'), 'greeting-bun'] }[runtime]
    const environment = {
      TENANT_ID: fixture.tenantId,
      API_APPLICATION_ID: fixture.apiApplicationId,
      AUTH_URL: keySet.origin,
      ISSUER_URL: fixture.issuerUrl,
      PORT: '0',
      // Bun's allocator returns freed memory after 10 ms and then asks for it again; -1 keeps it.
      ...(runtime === 'bun' && { MIMALLOC_PURGE_DELAY: '-1' }),
    }
    return startServer({ command: [...runtimes[runtime], ...file], environment, folder })
  }

/** HAProxy fetches no key set, so it gets the signing key as a file. */
const haproxy: Start = async ({ fixture, folder: runFolder }, id) => {
  const folder = await mkdtemp(join(runFolder, 'haproxy-'))
  const key = createPublicKey({ key: fixture.signer.jwk as JsonWebKey, format: 'jwk' })
  await writeFile(join(folder, 'key.pem'), key.export({ type: 'spki', format: 'pem' }))
  const port = await freePort()
  const { issuer, audience, role } = fixture
  const environment = { PORT: `${port}`, ISSUER: issuer, AUDIENCE: audience, ROLE: role }
  const command = ['haproxy', '-db', '-f', serverFile(`${id}.cfg`)]
  return startServer({ command, environment, folder, pollUrl: `http://127.0.0.1:${port}` })
}

type ResourceServer = Partial<Pick<Contestant, 'isReference' | 'needs' | 'libraries'>> & {
  /** The path of the route without a guard; default `/`. */
  readonly open?: string
  /** The answer of the guarded route; default `Hi`. */
  readonly body?: string
  /** Default: the server of `servers/peer-servers.ts` with this name. */
  readonly process?: Start
}

const resourceServer = (
  id: string,
  title: string,
  group: string,
  kinds: readonly RouteKind[],
  { open: path = '/', body, process = peer, ...rest }: ResourceServer = {},
): Contestant => ({
  table: 'resource server',
  id,
  title,
  group,
  ...rest,
  start: async (setup) => {
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
      unread: cpuLoad(server, () => ({ url: open, tokens: few })),
      remembered: cpuLoad(server, () => ({ url: guarded, tokens: few })),
      new: cpuLoad(server, (count) => ({ url: guarded, tokens: next(count) }), newPerLoad),
    }
    return {
      loads: new Map(kinds.map((kind) => [kind, loads[kind]])),
      prove: async () => [
        ...(kinds.includes('open') ? await proveOpen(open) : []),
        ...(kinds.some((kind) => kind === 'remembered' || kind === 'new')
          ? await proveGuarded(guarded, fixture, body)
          : []),
      ],
      stop: server.stop,
    }
  },
})

type StartedIssuer = Issuer & Pick<ServerProcess, 'pid' | 'stop'>
type StartIssuer = (setup: Setup, id: string) => Promise<StartedIssuer>

/** The identity provider with a directory of one API and one client. */
const identityProvider =
  (kind: StoreKind): StartIssuer =>
  async ({ folder }) => {
    const stores = new Stores(await mkdtemp(join(folder, `${kind}-`)), kind)
    try {
      const server = await startIdentityServer(await stores.copyOf(1, 0))
      const { url, keySetUrl, formOf } = tokenRequests(server.url)
      const form = Object.fromEntries(new URLSearchParams(formOf(0)))
      const stop = () => server.stop().finally(() => stores.stop())
      return { tokenEndpoint: url, keySetUrl, form, pid: server.pid, stop }
    } catch (error) {
      await stores.stop()
      throw error
    }
  }

/** @param audienceOf the form field that names the audience of the token */
const issuingPeer =
  (audienceOf?: (audience: string) => Readonly<Record<string, string>>): StartIssuer =>
  async (setup, id) => {
    const { url, pid, stop } = await peer(setup, id)
    const { clientId: client_id, clientSecret: client_secret, audience } = setup.fixture
    const client = { grant_type: 'client_credentials', client_id, client_secret }
    const form = { ...client, ...audienceOf?.(audience) }
    return { tokenEndpoint: `${url}/token`, keySetUrl: `${url}/jwks`, form, pid, stop }
  }

const issuers = { table: 'token endpoint', group: 'token endpoints' } as const

/** @param admitted the failures that the title declares */
const tokenEndpoint = (
  id: string,
  title: string,
  process: StartIssuer,
  admitted: readonly IssuanceFailure[] = [],
): Contestant => ({
  ...issuers,
  id,
  title,
  start: async (setup) => {
    const issuer = await process(setup, id)
    const forms = [new URLSearchParams(issuer.form).toString()]
    return {
      loads: new Map([['token', cpuLoad(issuer, () => ({ url: issuer.tokenEndpoint, forms }))]]),
      prove: async () => (await proveIssuance(issuer)).filter((one) => !admitted.includes(one)),
      stop: issuer.stop,
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

const both = ['remembered', 'new'] as const
const all = ['open', ...both] as const
const withUnread = ['open', 'unread', ...both] as const
const withHaproxy = { process: haproxy, needs: ['haproxy'] } as const

const compiled = (language: keyof typeof sources, needs: Program) => ({
  process: (setup: Setup, id: string) => startCompiled(sources[language], id, environmentOf(setup)),
  libraries: librariesOf(sources[language]),
  needs: [needs],
})
const withGo = compiled('go', 'go')
const withRust = compiled('rust', 'cargo')

/** Every program of a complete run, in the order of the tables. */
export const contestants: readonly Contestant[] = [
  resourceServer('greeting-node', 'Greeting on Node', 'Greeting', withUnread, {
    process: greeting('node'),
    open: '/healthz',
    isReference: true,
  }),
  resourceServer('greeting-bun', 'Greeting on Bun', 'Greeting', withUnread, {
    process: greeting('bun'),
    open: '/healthz',
    needs: ['bun'],
  }),
  resourceServer('haproxy-jwt-verify', 'HAProxy `jwt_verify`', 'Greeting', both, {
    ...withHaproxy,
    isReference: true,
  }),
  resourceServer('node-http', 'bare `node:http`', 'Greeting', ['open', 'unread', 'new']),
  resourceServer('haproxy-open', 'HAProxy without checks', 'others', ['open'], withHaproxy),
  resourceServer('fast-jwt', 'Fastify + fast-jwt, cached', 'Fastify', both),
  resourceServer('fastify-jose', 'Fastify + jose', 'Fastify', both),
  resourceServer('express-oauth2-jwt-bearer', 'Express + express-oauth2-jwt-bearer', 'others', [
    'remembered',
  ]),
  resourceServer('hono-jwk', 'Hono `jwk`', 'others', ['remembered']),
  resourceServer('go', 'Go net/http + golang-jwt', 'Go', all, withGo),
  resourceServer('go-cached', 'Go net/http + golang-jwt, cached', 'Go', all, withGo),
  resourceServer('rust', 'Rust axum + jsonwebtoken', 'Rust', all, withRust),
  resourceServer('rust-cached', 'Rust axum + jsonwebtoken, cached', 'Rust', all, withRust),
  resourceServer('authorizer', '`greeting authorize`', 'authorizers', all, {
    process: startAuthorizer,
    open: '/open',
    body: '',
  }),
  resourceServer('envoy-jwt-authn', 'Envoy `jwt_authn`, cached', 'authorizers', all, {
    process: startEnvoy,
    open: '/open',
    needs: ['envoy'],
  }),
  resourceServer('oauth2-proxy', 'oauth2-proxy', 'authorizers', all, {
    process: startOauth2Proxy,
    open: '/open',
    body: 'Authenticated',
    needs: ['oauth2-proxy'],
  }),
  openssl,
  tokenEndpoint('sqlite', 'Greeting, SQLite', identityProvider('sqlite')),
  tokenEndpoint('postgresql', 'Greeting, PostgreSQL', identityProvider('postgresql')),
  tokenEndpoint('node-http-sign', 'bare `node:http` that signs and checks nothing', issuingPeer(), [
    'a wrong secret is accepted',
  ]),
  tokenEndpoint(
    'oidc-provider',
    'node-oidc-provider',
    issuingPeer((resource) => ({ resource })),
  ),
  tokenEndpoint(
    'oauth2-mock-server',
    'oauth2-mock-server (checks no secret)',
    issuingPeer((audience) => ({ scope: `${audience}/.default` })),
    ['a wrong secret is accepted', 'the same token is issued twice'],
  ),
]
