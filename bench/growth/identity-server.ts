import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { startServer } from '../harness/child-processes.ts'
import { repositoryFolder, runtimes } from '../harness/programs.ts'
import type { Store } from './stores.ts'

const main = join(repositoryFolder, 'services', 'identity-provider', 'src', 'main.ts')
const shortCleanup = new URL('./short-cleanup.ts', import.meta.url)

/** The scopes of both management APIs. */
const scopes = {
  graph: 'https://graph.microsoft.com/.default',
  server: 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6/.default',
} as const

// The timer that measures the delay of the event loop fires every 10 ms without any delay.
const restMs = 10
const readyPollMs = 5

/** What the process says of itself at `/metrics`. */
export type ProcessMetrics = {
  readonly residentMb: number
  readonly cpuSeconds: number
  /** The longest pause of the event loop since the last reading. */
  readonly longestPauseMs: number
  readonly value: (name: string) => number
}

export type IdentityServer = {
  readonly url: string
  readonly startToListeningMs: number
  readonly startToReadyMs: number
  metrics(): Promise<ProcessMetrics>
  stop(): Promise<void>
}

export type ServerOptions = {
  readonly settings?: Readonly<Record<string, string>>
  readonly cores?: readonly number[]
  /** The interval of the cleanup; default 5 minutes. */
  readonly cleanupEveryMs?: number
}

/** Starts the identity provider as a process. */
export async function startIdentityServer(
  store: Store,
  { settings = {}, cores = [], cleanupEveryMs }: ServerOptions = {},
): Promise<IdentityServer> {
  const preload =
    cleanupEveryMs === undefined ? [] : ['--import', `${shortCleanup}?everyMs=${cleanupEveryMs}`]
  const startedMs = performance.now()
  const server = await startServer(
    {
      command: [...runtimes.node, ...preload, main],
      folder: store.dataDir,
      environment: {
        ...{ PORT: '0', HTTPS_PORT: 'off', METRICS_PORT: '0', DATA_DIR: store.dataDir },
        ...{ ...store.settings, ...settings },
      },
    },
    cores,
  )
  const startToListeningMs = performance.now() - startedMs
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(readyPollMs)
  return {
    url: server.url,
    startToListeningMs,
    startToReadyMs: performance.now() - startedMs,
    metrics: async () => processMetrics(await (await fetch(`${server.metricsUrl}/metrics`)).text()),
    stop: server.stop,
  }
}

/** Reads a text of Prometheus. A metric that is missing is NaN. */
export function processMetrics(text: string): ProcessMetrics {
  const value = (name: string): number => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `))
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1))
  }
  return {
    residentMb: value('process_resident_memory_bytes') / 1e6,
    cpuSeconds: value('process_cpu_seconds_total'),
    longestPauseMs: Math.max(0, value('nodejs_eventloop_lag_max_seconds') * 1000 - restMs),
    value,
  }
}

/** Requests of the first administrator. */
export type Administrator = {
  readonly settingsFile: string
  graph(path: string, init?: RequestInit): Promise<Response>
  audit(query: string): Promise<Response>
}

/** Gets tokens for both management APIs with the administrator that the server created. */
export async function administratorOf(
  { url }: Pick<IdentityServer, 'url'>,
  { dataDir }: Store,
): Promise<Administrator> {
  const settingsFile = join(dataDir, 'administrator.env')
  const { TENANT_ID, CLIENT_ID, CLIENT_SECRET } = parseEnv(await readFile(settingsFile, 'utf8'))
  const authorizationFor = async (scope: string): Promise<string> => {
    const response = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'client_credentials', scope },
        ...{ client_id: CLIENT_ID ?? '', client_secret: CLIENT_SECRET ?? '' },
      }),
    })
    if (!response.ok) throw new Error(`the administrator got no token: ${response.status}`)
    return `Bearer ${((await response.json()) as { access_token: string }).access_token}`
  }
  const [graph, server] = await Promise.all([
    authorizationFor(scopes.graph),
    authorizationFor(scopes.server),
  ])
  return {
    settingsFile,
    graph: (path, init = {}) =>
      fetch(`${url}/v1.0/${path}`, { ...init, headers: { ...init.headers, authorization: graph } }),
    audit: (query) =>
      fetch(`${url}/management/audit?book=signIns&${query}`, {
        headers: { authorization: server },
      }),
  }
}

/**
 * Reads an answer to its end.
 *
 * @throws {Error} when it is a refusal
 */
export async function readAnswer<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} at ${response.url}: ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Body
}
