import { join } from 'node:path'
import { VerifiedTokenCache } from '../../../packages/guard/src/cache/verified-token-cache.ts'
import { createFixture, createTokenPool } from '../../harness/fixture.ts'
import { autocannon, measureLoad, wrk } from '../../harness/load.ts'
import { presentPrograms } from '../../harness/programs.ts'
import { startApiServer } from '../api-server.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'

/** The default of `REMEMBERED_TOKENS`. */
const documented = 10_000
const callers = [100, documented, 12_500, 15_000]
const tinyCallers = [10, 20]
const connections = 16
const signatureLength = 342

/** The share of callers in turn whose token is in the cache. */
export function shareFound(capacity: number, count: number): number {
  const cache = new VerifiedTokenCache<{ authorization: string; key: never }>(capacity)
  const authorizationOf = (caller: number) => `Bearer ${String(caller).padStart(signatureLength)}`
  let found = 0
  for (let round = 0; round < 3; round += 1) {
    found = 0
    for (let caller = 0; caller < count; caller += 1) {
      const authorization = authorizationOf(caller)
      if (cache.find(authorization) === undefined) cache.add({ authorization, key: {} as never })
      else found += 1
    }
  }
  return found / count
}

/** Callers take turns, each with one token. The size is the number of callers. */
export const remembered: GrowthCase = {
  id: 'remembered',
  title: `callers of the API in turn, with REMEMBERED_TOKENS=${documented}; the size is their number`,
  usesStore: false,
  goals: [{ what: 'tokens that are found', size: documented, atLeast: 100 }],
  async run({ seconds, isTiny, folder, progress }) {
    const counts = isTiny ? tinyCallers : callers
    const fixture = createFixture()
    progress(`signing ${Math.max(...counts)} tokens`)
    const pool = await createTokenPool(fixture, Math.max(...counts), join(folder, 'callers.txt'))
    const generator = presentPrograms().has('wrk') && !isTiny ? wrk : autocannon
    const figures: Figure[] = []
    for (const size of counts) {
      progress(`${size} callers in turn`)
      const server = await startApiServer(fixture, folder)
      const url = `${server.url}/api/v1/hi`
      const tokens = { ...pool, first: 0, count: size }
      const load = async () => {
        const command = generator({ url, tokens }, { connections, seconds })
        const sample = await measureLoad(command, [], false)
        if (sample.failures.length > 0) throw new Error(sample.failures.join('; '))
        return sample.requestsPerSecond * seconds
      }
      // In the first load, each token is verified for the first time.
      await load()
      const beforeSeconds = (await server.metrics()).cpuSeconds
      const requests = await load()
      const cpuSeconds = (await server.metrics()).cpuSeconds - beforeSeconds
      await server.stop()
      figures.push(
        {
          ...{ what: 'tokens that are found', size, unit: '%' },
          value: 100 * shareFound(documented, size),
        },
        { what: 'CPU of a request', size, unit: 'us', value: (cpuSeconds * 1e6) / requests },
      )
    }
    return { figures }
  },
}
