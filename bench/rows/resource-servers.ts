import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type RunningServer, startServer } from '../harness/child-processes.ts'
import { repositoryFolder, runtimes, serverFile } from '../harness/programs.ts'
import { proveGuarded, proveOpen } from '../harness/proofs.ts'
import type { Row } from '../harness/row.ts'
import type { Setup } from '../harness/setup.ts'
import { startPeer } from './peer.ts'

type Start = (setup: Setup, cores: readonly number[]) => Promise<RunningServer>

const peer =
  (file: string): Start =>
  (setup, cores) =>
    startPeer(file, setup, cores)

/** The greeting API with the settings of a real deployment. */
const greeting = (runtime: keyof typeof runtimes): Start => {
  const node = join(repositoryFolder, 'services', 'greeting-api', 'src', 'main.ts')
  const file = { node, bun: serverFile('greeting-bun.ts') }[runtime]
  // Bun's allocator returns freed memory after 10 ms and then asks for it again; -1 keeps it.
  const tuning = { node: {}, bun: { MIMALLOC_PURGE_DELAY: '-1' } }[runtime]
  return ({ fixture, keySet, folder }, cores) => {
    const environment = {
      TENANT_ID: fixture.tenantId,
      API_APPLICATION_ID: fixture.apiApplicationId,
      AUTH_URL: keySet.origin,
      ISSUER_URL: fixture.issuerUrl,
      PORT: '0',
      ...tuning,
    }
    return startServer({ command: [...runtimes[runtime], file], environment, folder }, cores)
  }
}

/** HAProxy with a file of `servers/`. It fetches no key set, so it gets the signing key as a file. */
const haproxy =
  (file: string): Start =>
  async ({ fixture, folder: runFolder }, cores) => {
    const folder = await mkdtemp(join(runFolder, 'haproxy-'))
    const publicKey = createPublicKey(fixture.keys[0].privateKey)
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    await writeFile(join(folder, 'key.pem'), pem)
    const port = await freePort()
    const { issuer, audience, role } = fixture
    const environment = { PORT: `${port}`, ISSUER: issuer, AUDIENCE: audience, ROLE: role }
    const command = ['haproxy', '-db', '-f', serverFile(file)]
    return startServer({ command, environment, folder, pollUrl: `http://127.0.0.1:${port}` }, cores)
  }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Shares a process between rows: the first row starts it and the last one stops it. */
export function shared(start: Start): Start {
  let running: Promise<RunningServer> | undefined
  let users = 0
  const leave = async () => {
    users -= 1
    if (users > 0) return
    const last = running
    running = undefined
    await (await last)?.stop()
  }
  return async (setup, cores) => {
    users += 1
    running ??= start(setup, cores)
    try {
      return { ...(await running), stop: leave }
    } catch (error) {
      running = undefined
      users -= 1
      throw error
    }
  }
}

type Options = Partial<Pick<Row, 'needs' | 'comparedWith'>>

const route = (id: string, group: string, title: string, options: Options) => ({
  ...({ id, group, title, table: 'resource server', tokens: 'few', serverCores: 1 } as const),
  ...{ needs: [], comparedWith: ['haproxy-jwt-verify'] },
  ...options,
})

/** A row that measures a route without a guard. */
const open = (
  id: string,
  group: string,
  title: string,
  start: Start,
  path: string,
  options: Options = {},
): Row => ({
  ...route(id, group, `${title}, open`, options),
  start: async (setup, cores) => {
    const { url: origin, stop } = await start(setup, cores)
    const url = origin + path
    return { request: { url }, prove: () => proveOpen(url), stop }
  },
})

/** A row that measures the guarded route. */
const guarded = (
  id: string,
  group: string,
  title: string,
  start: Start,
  options: Options = {},
): Row => ({
  ...route(id, group, title, options),
  start: async (setup, cores) => {
    const { url: origin, stop } = await start(setup, cores)
    const url = `${origin}/api/v1/hi`
    return { request: { url }, prove: () => proveGuarded(url, setup.fixture), stop }
  },
})

/** The same row for callers that send every token once. */
const newTokens = (row: Row, title = row.title): Row => ({
  ...row,
  id: `${row.id}-new`.replace('-remembered-', '-'),
  title: `${title}, every token new`,
  group: `${row.group}, new tokens`,
  tokens: 'unique',
  comparedWith: row.comparedWith.includes('haproxy-jwt-verify') ? ['haproxy-jwt-verify-new'] : [],
})

/** Our API. Two processes of one program differ by more than the guard costs, so both routes share one. */
function ours(runtime: 'node' | 'bun', name: string, needs: Row['needs']): Row[] {
  const id = `greeting-${runtime}`
  const title = `Greeting on ${name}`
  const start = shared(greeting(runtime))
  const comparedWith = [`${id}-open`, 'haproxy-jwt-verify']
  const row = guarded(`${id}-remembered`, 'Greeting', `${title}, guarded, remembered`, start, {
    needs,
    comparedWith,
  })
  return [
    open(`${id}-open`, 'Greeting', title, start, '/healthz', { needs }),
    row,
    newTokens(row, `${title}, guarded`),
  ]
}

/** Both rows of a guarded peer. */
const both = (row: Row): Row[] => [row, newTokens(row)]

const [anyPath, needsHaproxy] = ['/', { needs: ['haproxy'] }] as const
const verifying = 'bare `node:http` that verifies and keeps nothing'

/** The guarded `GET` of every product, and the open route of its platform. */
export const resourceServers: readonly Row[] = [
  ...ours('node', 'Node', []),
  ...ours('bun', 'Bun', ['bun']),
  open('haproxy-open', 'platforms', 'HAProxy', haproxy('haproxy-open.cfg'), anyPath, needsHaproxy),
  ...both(
    guarded(
      'haproxy-jwt-verify',
      'Greeting',
      'HAProxy `jwt_verify`',
      haproxy('haproxy-jwt-verify.cfg'),
      {
        ...needsHaproxy,
        comparedWith: [],
      },
    ),
  ),
  open('node-http-open', 'platforms', 'bare `node:http`', peer('node-http'), anyPath),
  newTokens(guarded('node-http-verify', 'Greeting', verifying, peer('node-http-verify'))),
  ...both(guarded('fast-jwt', 'Fastify', 'Fastify + fast-jwt with its cache', peer('fast-jwt'))),
  ...both(guarded('fastify-jose', 'Fastify', 'Fastify + jose', peer('fastify-jose'))),
  guarded(
    'express-oauth2-jwt-bearer',
    'Express and Hono',
    'Express + express-oauth2-jwt-bearer',
    peer('express-oauth2-jwt-bearer'),
  ),
  guarded(
    'fastify-jwt-get-jwks',
    'Fastify',
    '@fastify/jwt + get-jwks',
    peer('fastify-jwt-get-jwks'),
  ),
  guarded('hono-jwk', 'Express and Hono', 'Hono `jwk`', peer('hono-jwk')),
]
