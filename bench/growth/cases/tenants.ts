import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../figures.ts'
import type { Figure, GrowthCase } from '../growth-case.ts'
import {
  type IdentityServer,
  readAnswer,
  startIdentityServer,
  tokenRequests,
} from '../identity-server.ts'
import { seedOfTenant, seedTenants } from '../seed.ts'
import { openForSeeding, seed } from '../stores.ts'

const restMs = 1000
const mostTokens = 500

/** A store with many tenants, each with an API and a client. */
export const tenants: GrowthCase = {
  id: 'tenants',
  title: 'starts and tokens with many tenants; the size is their number',
  goals: [
    { what: 'start to ready', ratioAtMost: 1.3 },
    { what: 'resident memory at rest', ratioAtMost: 1.1 },
  ],
  async run({ stores, rounds, tiny }) {
    const figures: Figure[] = []
    for (const size of tiny ? [1, 20] : [1, 10_000]) {
      const store = await stores.copyOf(0, 0)
      console.error(`seeding ${size} tenants`)
      const storage = await openForSeeding(store)
      await seedTenants(storage, seed, size, new Date())
      await storage.close()
      // The first start creates the keys and the administrator.
      await (await startIdentityServer(store)).stop()
      const runs: { readonly residentMb: number; readonly startSeconds: number }[] = []
      let server = await startIdentityServer(store)
      for (let round = 0; round < rounds; round += 1) {
        await server.stop()
        server = await startIdentityServer(store)
        await sleep(tiny ? 0 : restMs)
        const { residentMb } = await server.metrics()
        runs.push({ residentMb, startSeconds: server.startToReadyMs / 1000 })
      }
      const count = Math.min(size, mostTokens)
      const first = await cpuOfTokens(server, count)
      const next = await cpuOfTokens(server, count)
      await server.stop()
      await store.remove()
      const middle = (name: 'residentMb' | 'startSeconds') => median(runs.map((run) => run[name]))
      figures.push(
        { what: 'start to ready', size, unit: 's', value: middle('startSeconds') },
        { what: 'resident memory at rest', size, unit: 'MB', value: middle('residentMb') },
        { what: 'CPU of the first token of a tenant', size, unit: 'us', value: first },
        { what: 'CPU of its next token', size, unit: 'us', value: next },
      )
    }
    return figures
  },
}

/** The processor time of the server for a token of each tenant, in microseconds. */
async function cpuOfTokens(server: IdentityServer, count: number): Promise<number> {
  const before = await server.metrics()
  for (let index = 0; index < count; index += 1) {
    const { url, formOf } = tokenRequests(server.url, seedOfTenant(seed, index))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await readAnswer(await fetch(url, { method: 'POST', headers, body: formOf(0) }))
  }
  return (((await server.metrics()).cpuSeconds - before.cpuSeconds) * 1e6) / count
}
