import { join } from 'node:path'
import { allowedCores, assignCores } from '../cores.ts'
import { startServer } from '../harness/child-processes.ts'
import { autocannon, measureLoad, opensslSpeedByProcessor, wrk } from '../harness/load.ts'
import { presentPrograms, repositoryFolder, runtimes } from '../harness/programs.ts'
import type { GrowthContext } from './growth-case.ts'
import { type IdentityServer, processMetrics, startIdentityServer } from './identity-server.ts'
import type { Store } from './stores.ts'
import { type TokenOf, tokenFormFile, tokenPath } from './token-form.ts'

/** The connections of a load, each with one request at a time. */
export const connections = 16
/** The share of the capacity at which a server is meant to run. */
export const shareOfCapacity = 0.6

/** A server that issues tokens on a core of its own, under a full load for some seconds. */
export type OneCoreServer = {
  readonly url: string
  /** Issues tokens under a full load. @throws {Error} when a request fails */
  issue(seconds: number): Promise<Issued>
  stop(): Promise<void>
}

export type Issued = {
  readonly tokensPerSecond: number
  /** The processor time of the server for one token, in microseconds. */
  readonly cpuUs: number
}

/** An identity provider on a core of its own. */
export type OneCoreIssuer = OneCoreServer &
  Pick<IdentityServer, 'metrics'> & {
    /** The same load for another token. */
    issuing(token: TokenOf): Promise<OneCoreServer['issue']>
    /** The processor time of a signature of openssl on the same core, in microseconds; undefined without openssl. */
    signatureUs(seconds: number): Promise<number | undefined>
  }

const bareServer = join(repositoryFolder, 'bench', 'servers', 'node-http-sign.ts')

/**
 * Starts an identity provider with this many applications on one core. The load has another core.
 *
 * @param prepare changes the store before the start
 */
export async function startOneCoreIssuer(
  context: GrowthContext,
  applications: number,
  prepare: (store: Store) => Promise<void> = async () => undefined,
): Promise<OneCoreIssuer> {
  const { server: cores, load } = coresOf()
  const store = await context.stores.copyOf(applications, 0)
  await prepare(store)
  const server = await startIdentityServer(store, { cores })
  const measured = { url: server.url, metrics: server.metrics }
  return {
    ...measured,
    issue: await loadOf(context, measured, load),
    issuing: (token) => loadOf(context, measured, load, token),
    signatureUs: async (seconds) => {
      if (!presentPrograms().has('openssl')) return undefined
      const command = opensslSpeedByProcessor({ url: '' }, { connections, seconds })
      return 1e6 / (await measureLoad(command, cores, false)).requestsPerSecond
    },
    stop: async () => {
      await server.stop()
      await store.remove()
    },
  }
}

/** Starts the least server that signs tokens on Node, on the same core. It checks nothing. */
export async function startBareServer(context: GrowthContext): Promise<OneCoreServer> {
  const { folder } = context
  const command = [...runtimes.node, bareServer]
  const environment = { AUDIENCE: '' }
  const { server: cores, load } = coresOf()
  const { url, stop } = await startServer({ command, folder, environment }, cores)
  const metrics = async () => processMetrics(await (await fetch(`${url}/metrics`)).text())
  return { url, issue: await loadOf(context, { url, metrics }, load), stop }
}

const coresOf = () => assignCores(presentPrograms().has('taskset') ? allowedCores() : [], 1)

/** A full load of token requests, from another core. */
async function loadOf(
  { isTiny, folder }: GrowthContext,
  { url, metrics }: Pick<IdentityServer, 'url' | 'metrics'>,
  cores: readonly number[],
  token?: TokenOf,
): Promise<OneCoreServer['issue']> {
  const generator = presentPrograms().has('wrk') && !isTiny ? wrk : autocannon
  const form = await tokenFormFile(folder, token)
  return async (seconds) => {
    const command = generator({ url: url + tokenPath, form }, { connections, seconds })
    const before = await metrics()
    const { requestsPerSecond, failures } = await measureLoad(command, cores, false)
    if (failures.length > 0) throw new Error(failures.join('; '))
    const cpuSeconds = (await metrics()).cpuSeconds - before.cpuSeconds
    const cpuUs = (cpuSeconds * 1e6) / (requestsPerSecond * seconds)
    return { tokensPerSecond: requestsPerSecond, cpuUs }
  }
}
