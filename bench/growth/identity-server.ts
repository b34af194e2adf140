import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryFolder, runtimes } from '../machine.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { idsOf, secretOf, seed } from './seed.ts'
import type { Store } from './stores.ts'

const main = join(repositoryFolder, 'services', 'identity-provider', 'src', 'main.ts')

// The timer that measures the delay of the event loop fires every 10 ms without any delay.
const timerMs = 10
const readyPollMs = 5

export type IdentityServer = ServerProcess & {
  readonly startToReadyMs: number
  /** What the process says of itself at `/metrics`. */
  metrics(): Promise<{
    readonly residentMb: number
    readonly cpuSeconds: number
    /** The longest pause of the event loop since the last reading. */
    readonly longestPauseMs: number
  }>
}

/** Starts the identity provider as a process. */
export async function startIdentityServer(store: Store): Promise<IdentityServer> {
  const startedMs = performance.now()
  const server = await startServer({
    // As in the image.
    command: [...runtimes.node, '--max-semi-space-size=8', main],
    folder: store.dataDir,
    environment: {
      PORT: '0',
      HTTPS_PORT: 'off',
      METRICS_PORT: '0',
      DATA_DIR: store.dataDir,
      ...store.settings,
    },
  })
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(readyPollMs)
  return {
    ...server,
    startToReadyMs: performance.now() - startedMs,
    metrics: async () => {
      const lines = (await (await fetch(`${server.metricsUrl}/metrics`)).text()).split('\n')
      const value = (name: string) =>
        Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1))
      return {
        residentMb: value('process_resident_memory_bytes') / 1e6,
        cpuSeconds: value('process_cpu_seconds_total'),
        longestPauseMs: Math.max(0, value('nodejs_eventloop_lag_max_seconds') * 1000 - timerMs),
      }
    },
  }
}

/** The URLs of a tenant's token endpoint and key set, and the token request form of each client. */
export function tokenRequests(url: string, tenantSeed: string = seed) {
  const { tenantId, apiAppId, clientIdOf } = idsOf(tenantSeed)
  return {
    url: `${url}/${tenantId}/oauth2/v2.0/token`,
    keySetUrl: `${url}/${tenantId}/discovery/keys`,
    formOf: (client: number, appId = apiAppId) =>
      new URLSearchParams({
        grant_type: 'client_credentials',
        scope: `api://${appId}/.default`,
        client_id: clientIdOf(client),
        client_secret: secretOf(tenantSeed, client),
      }).toString(),
  }
}

/** Prime, so that the turns reach all clients of any number, far from each other. */
const stride = 7919

/** The token request forms of clients whose indexes are far apart. */
export const spreadForms = (formOf: (client: number) => string, clients: number, count: number) =>
  Array.from({ length: count }, (_, turn) => formOf((turn * stride) % clients))

/**
 * Reads a response to its end.
 *
 * @throws {Error} when it is a refusal
 */
export async function readAnswer<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} at ${response.url}: ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Body
}
