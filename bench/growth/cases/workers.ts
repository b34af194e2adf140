import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createFixture, createTokenPool } from '../../harness/fixture.ts'
import { autocannon, type LoadRequest, measureLoad, wrk } from '../../harness/load.ts'
import { presentPrograms } from '../../harness/programs.ts'
import { startApiServer } from '../api-server.ts'
import type { Figure, Goal } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { type ProcessMetrics, startIdentityServer } from '../identity-server.ts'
import { tokenFormFile, tokenPath } from '../token-form.ts'

const counts = [1, 2]
const connections = 64
const callers = 100
// Two workers and the load need a core each; the goal says nothing about a machine with fewer.
const hasEnoughCores = availableParallelism() > 2
const goals: Goal[] = ['API: requests', 'identity provider: tokens'].map((what) => ({
  what,
  ratioAtLeast: 1.8,
}))

/** Both services with one and with two workers. The size is the number of workers. */
export const workers: GrowthCase = {
  id: 'workers',
  title: `one and two workers, on ${availableParallelism()} cores that the load shares`,
  usesStore: true,
  goals: hasEnoughCores ? goals : [],
  async run({ stores, seconds, isTiny, folder, progress }) {
    const figures: Figure[] = []
    const generator = presentPrograms().has('wrk') && !isTiny ? wrk : autocannon
    const measure = async (
      service: string,
      unit: string,
      size: number,
      server: { metrics(): Promise<ProcessMetrics> },
      request: LoadRequest,
    ) => {
      const load = () =>
        measureLoad(generator(request, { connections, seconds }), [], false).then((sample) => {
          if (sample.failures.length > 0) throw new Error(sample.failures.join('; '))
          return sample.requestsPerSecond
        })
      await load()
      const beforeSeconds = (await server.metrics()).cpuSeconds
      const perSecond = await load()
      const cpuSeconds = (await server.metrics()).cpuSeconds - beforeSeconds
      figures.push(
        { what: `${service}: ${unit}`, size, unit: '/s', value: perSecond },
        {
          ...{ what: `${service}: CPU of one`, size, unit: 'us' },
          value: (cpuSeconds * 1e6) / (perSecond * seconds),
        },
      )
    }
    const fixture = createFixture()
    const pool = await createTokenPool(fixture, callers, join(folder, 'tokens-of-workers.txt'))
    const store = await stores.copyOf(callers, 0)
    const form = await tokenFormFile(folder)
    for (const size of counts) {
      progress(`${size} workers`)
      const settings = { WORKERS: String(size) }
      const api = await startApiServer(fixture, folder, settings)
      const tokens = { ...pool, first: 0 }
      await measure('API', 'requests', size, api, { url: `${api.url}/api/v1/hi`, tokens })
      await api.stop()
      const server = await startIdentityServer(store, { settings })
      const request = { url: server.url + tokenPath, form }
      await measure('identity provider', 'tokens', size, server, request)
      await server.stop()
    }
    await store.remove()
    return { figures }
  },
}
