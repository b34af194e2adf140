import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../figures.ts'
import { type Figure, figuresOf, type GrowthCase } from '../growth-case.ts'
import {
  type IdentityServer,
  readAnswer,
  startIdentityServer,
  tokenRequests,
} from '../identity-server.ts'
import { seedOfTenant, seedTenants } from '../seed.ts'
import { auditRecordsOf, type Store } from '../stores.ts'

const restMs = 1000
const mostTokens = 500

/** Measures starts of the identity provider on an existing store. */
export const start: GrowthCase = {
  id: 'start',
  title: 'start of the identity provider, and its memory at rest; the size is that of applications',
  goals: [
    { what: 'start to ready', atMost: 2.5, ratioAtMost: 1.3 },
    { what: 'resident memory at rest', atMost: 350 },
  ],
  async run({ stores, sizes, rounds, tiny }) {
    const figures: Figure[] = []
    for (const size of sizes) {
      await using store = await stores.copyOf(size, auditRecordsOf(size))
      figures.push(...(await startsOf(store, size, rounds, tiny)))
    }
    return figures
  },
}

/** Measures a store with many tenants, each with an API and a client. */
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
      console.error(`seeding ${size} tenants`)
      await using store = await stores.copyOf(0, 0, (storage) => seedTenants(storage, size))
      figures.push(...(await startsOf(store, size, rounds, tiny)))
      await using server = await startIdentityServer(store)
      const count = Math.min(size, mostTokens)
      figures.push(
        ...figuresOf(
          size,
          ['CPU of the first token of a tenant', await cpuOfTokens(server, count), 'us'],
          ['CPU of its next token', await cpuOfTokens(server, count), 'us'],
        ),
      )
    }
    return figures
  },
}

async function startsOf(store: Store, size: number, rounds: number, tiny: boolean) {
  // The first start creates the keys and the administrator.
  await (await startIdentityServer(store)).stop()
  const seconds: number[] = []
  const residentMb: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await using server = await startIdentityServer(store)
    await sleep(tiny ? 0 : restMs)
    seconds.push(server.startToReadyMs / 1000)
    residentMb.push((await server.metrics()).residentMb)
  }
  return figuresOf(
    size,
    ['start to ready', median(seconds), 's'],
    ['resident memory at rest', median(residentMb), 'MB'],
  )
}

/** The processor time of the server for a token of each tenant, in microseconds. */
async function cpuOfTokens(server: IdentityServer, count: number): Promise<number> {
  const before = await server.metrics()
  for (let index = 0; index < count; index += 1) {
    const { url, formOf } = tokenRequests(server.url, seedOfTenant(index))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await readAnswer(await fetch(url, { method: 'POST', headers, body: formOf(0) }))
  }
  return (((await server.metrics()).cpuSeconds - before.cpuSeconds) * 1e6) / count
}
