import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allowedCores, assignCores, type Cores, pinSelf } from '../cores.ts'
import type { Fixture } from './fixture.ts'
import * as fixtures from './fixture.ts'
import type { LoadGenerator, LoadRequest } from './load.ts'

/** Number of callers that take turns where tokens are cached. */
const callers = 100

/** The data that all rows of a run share. */
export type Setup = {
  readonly fixture: Fixture
  readonly keySet: { readonly origin: string; readonly url: string }
  readonly generator: LoadGenerator
  /** A folder for data and configuration, removed at exit. */
  readonly folder: string
  cores(serverCores: 1 | 2): Cores
  /** The tokens of one load, after earlier loads have used some. */
  tokensFor(kind: 'few' | 'unique' | 'none', used: number): LoadRequest['tokens'] | undefined
}

/** A server also handles HTTP, so it reaches only a share of the verifications per second. */
const shareOfVerifications = 0.7

/**
 * Creates the shared data of a run.
 *
 * @param pinning whether `taskset` can keep processes on their cores
 * @param loads number of loads of new tokens for a started server, and the length and minimum size
 * of each
 */
export async function createSetup(
  generator: LoadGenerator,
  pinning: boolean,
  loads: { readonly count: number; readonly seconds: number; readonly leastRequests: number },
  fixture = fixtures.createFixture(),
): Promise<Setup & { stop(): void }> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-bench-'))
  // The tokens of a run take hundreds of megabytes.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const mostPerLoad =
    fixtures.verificationsPerSecond(fixture) * shareOfVerifications * loads.seconds
  const tokensPerLoad = Math.ceil(Math.max(mostPerLoad, 2 * loads.leastRequests))
  const count = Math.max(callers, tokensPerLoad * loads.count)
  const pool = await fixtures.createTokenPool(fixture, count, join(folder, 'tokens.txt'))
  const allowed = pinning ? allowedCores() : []
  const cores = (serverCores: 1 | 2) => assignCores(allowed, serverCores)
  // The harness serves the key set, so it belongs to the core of the load.
  pinSelf(cores(1).load)
  const { origin, stop } = await serveKeySet(fixture)
  const keySet = { origin, url: origin + keySetPath(fixture) }
  const tokensFor: Setup['tokensFor'] = (kind, used) => {
    if (kind === 'none') return undefined
    if (kind === 'few') return { ...pool, first: 0, count: callers }
    if (used + tokensPerLoad > pool.count) throw new Error('the pool has no new tokens left')
    return { ...pool, first: used, count: tokensPerLoad }
  }
  return { fixture, keySet, generator, folder, cores, tokensFor, stop }
}

/** The path of Entra's key set. */
const keySetPath = ({ tenantId }: Fixture): string => `/${tenantId}/discovery/keys`

async function serveKeySet(fixture: Fixture): Promise<{ origin: string; stop(): void }> {
  const body = fixtures.keySetOf(fixture)
  const server = createServer(({ url }, response) => {
    const found = url === keySetPath(fixture)
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(found ? body : '{}')
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
