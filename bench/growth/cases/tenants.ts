import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { type IdentityServer, readAnswer, startIdentityServer } from '../identity-server.ts'
import { openForSeeding } from '../open-for-seeding.ts'
import { seedTenants } from '../seed.ts'
import { idsOf, secretOf, seedOfTenant } from '../seed-ids.ts'
import { seed } from '../stores.ts'

const counts = [1, 10_000]
const tinyCounts = [1, 20]
const starts = 3
const restMs = 1000
const most = 500

/** A store with many tenants, each with an API and a client. The size is the number of tenants. */
export const tenants: GrowthCase = {
  id: 'tenants',
  title: 'starts and tokens with many tenants; the size is their number',
  usesStore: true,
  goals: [
    { what: 'start to ready', ratioAtMost: 1.3 },
    { what: 'resident memory at rest', ratioAtMost: 1.1 },
  ],
  async run({ stores, isTiny, progress }) {
    const figures: Figure[] = []
    for (const size of isTiny ? tinyCounts : counts) {
      const store = await stores.copyOf(0, 0)
      progress(`${size} tenants`)
      const storage = await openForSeeding(store)
      await seedTenants(storage, seed, size, new Date())
      await storage.close()
      const runs: {
        readonly cpuSeconds: number
        readonly residentMb: number
        readonly startSeconds: number
      }[] = []
      let server: IdentityServer | undefined
      for (let run = 0; run <= (isTiny ? 1 : starts); run += 1) {
        await server?.stop()
        server = await startIdentityServer(store)
        await sleep(isTiny ? 0 : restMs)
        const { cpuSeconds, residentMb } = await server.metrics()
        const startSeconds = server.startToReadyMs / 1000
        runs.push({ cpuSeconds, residentMb, startSeconds })
      }
      if (server === undefined) continue
      const count = Math.min(size, most)
      const first = await cpuOfTokens(server, count)
      const later = await cpuOfTokens(server, count)
      await server.stop()
      await store.remove()
      const [atFirst, ...others] = runs
      const middle = (name: 'cpuSeconds' | 'residentMb' | 'startSeconds') =>
        median(others.map((run) => run[name]))
      figures.push(
        { what: 'CPU of the first start', size, unit: 's', value: atFirst?.cpuSeconds ?? 0 },
        { what: 'memory after it', size, unit: 'MB', value: atFirst?.residentMb ?? 0 },
        { what: 'start to ready', size, unit: 's', value: middle('startSeconds') },
        { what: 'CPU of a start', size, unit: 's', value: middle('cpuSeconds') },
        { what: 'resident memory at rest', size, unit: 'MB', value: middle('residentMb') },
        { what: 'CPU of the first token of a tenant', size, unit: 'us', value: first },
        { what: 'CPU of its next token', size, unit: 'us', value: later },
      )
    }
    return { figures }
  },
}

/** The processor time of the server for a token of each tenant, in microseconds. */
async function cpuOfTokens({ url, metrics }: IdentityServer, count: number): Promise<number> {
  const before = await metrics()
  for (let index = 0; index < count; index += 1) {
    const one = seedOfTenant(seed, index)
    const { tenantId, apiAppId, clientIdOf } = idsOf(one)
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', scope: `api://${apiAppId}/.default` },
      ...{ client_id: clientIdOf(0), client_secret: secretOf(one, 0) },
    })
    await readAnswer(await fetch(`${url}/${tenantId}/oauth2/v2.0/token`, { method: 'POST', body }))
  }
  return (((await metrics()).cpuSeconds - before.cpuSeconds) * 1e6) / count
}
