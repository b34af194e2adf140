import { allowedCores, assignCores } from '../cores.ts'
import { autocannon, measureLoad, wrk } from '../harness/load.ts'
import { presentPrograms } from '../harness/programs.ts'
import type { GrowthContext } from './growth-case.ts'
import { type IdentityServer, startIdentityServer } from './identity-server.ts'
import { tokenFormFile, tokenPath } from './token-form.ts'

/** The connections of a load, each with one request at a time. */
export const connections = 16
/** The share of the capacity at which a server is meant to run. */
export const shareOfCapacity = 0.6

/** An identity provider on a core of its own, under a full load for some seconds. */
export type OneCoreIssuer = {
  readonly server: IdentityServer
  readonly cores: readonly number[]
  /** Returns the tokens per second. @throws {Error} when a request fails */
  issue(seconds: number): Promise<number>
  stop(): Promise<void>
}

/** Starts an identity provider with this many applications on one core. The load has another core. */
export async function startOneCoreIssuer(
  { stores, isTiny, folder }: GrowthContext,
  applications: number,
): Promise<OneCoreIssuer> {
  const present = presentPrograms()
  const cores = assignCores(present.has('taskset') ? allowedCores() : [], 1)
  const generator = present.has('wrk') && !isTiny ? wrk : autocannon
  const store = await stores.copyOf(applications, 0)
  const server = await startIdentityServer(store, { cores: cores.server })
  const form = await tokenFormFile(folder)
  return {
    server,
    cores: cores.server,
    issue: async (seconds) => {
      const command = generator({ url: server.url + tokenPath, form }, { connections, seconds })
      const { requestsPerSecond, failures } = await measureLoad(command, cores.load, false)
      if (failures.length > 0) throw new Error(failures.join('; '))
      return requestsPerSecond
    },
    stop: async () => {
      await server.stop()
      await store.remove()
    },
  }
}
