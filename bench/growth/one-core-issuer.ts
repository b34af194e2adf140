import { join } from 'node:path'
import { allowedCores, assignCores } from '../cores.ts'
import { startServer } from '../harness/child-processes.ts'
import { autocannon, measureLoad, wrk } from '../harness/load.ts'
import { presentPrograms, repositoryFolder, runtimes } from '../harness/programs.ts'
import type { GrowthContext } from './growth-case.ts'
import { type IdentityServer, startIdentityServer } from './identity-server.ts'
import { tokenFormFile, tokenPath } from './token-form.ts'

/** The connections of a load, each with one request at a time. */
export const connections = 16
/** The share of the capacity at which a server is meant to run. */
export const shareOfCapacity = 0.6

/** A server that issues tokens on a core of its own, under a full load for some seconds. */
export type OneCoreServer = {
  readonly url: string
  /** Returns the tokens per second. @throws {Error} when a request fails */
  issue(seconds: number): Promise<number>
  stop(): Promise<void>
}

/** An identity provider on a core of its own. */
export type OneCoreIssuer = OneCoreServer & {
  readonly server: IdentityServer
  readonly cores: readonly number[]
}

const bareServer = join(repositoryFolder, 'bench', 'servers', 'node-http-sign.ts')

/** Starts an identity provider with this many applications on one core. The load has another core. */
export async function startOneCoreIssuer(
  context: GrowthContext,
  applications: number,
): Promise<OneCoreIssuer> {
  const { server: cores, load } = coresOf()
  const store = await context.stores.copyOf(applications, 0)
  const server = await startIdentityServer(store, { cores })
  return {
    ...{ server, cores, url: server.url },
    issue: await loadOf(context, server.url, load),
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
  return { url, issue: await loadOf(context, url, load), stop }
}

const coresOf = () => assignCores(presentPrograms().has('taskset') ? allowedCores() : [], 1)

/** A full load of token requests, from another core. */
async function loadOf(
  { isTiny, folder }: GrowthContext,
  url: string,
  cores: readonly number[],
): Promise<OneCoreServer['issue']> {
  const generator = presentPrograms().has('wrk') && !isTiny ? wrk : autocannon
  const form = await tokenFormFile(folder)
  return async (seconds) => {
    const command = generator({ url: url + tokenPath, form }, { connections, seconds })
    const { requestsPerSecond, failures } = await measureLoad(command, cores, false)
    if (failures.length > 0) throw new Error(failures.join('; '))
    return requestsPerSecond
  }
}
