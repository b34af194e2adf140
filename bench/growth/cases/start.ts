import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../figures.ts'
import type { Figure, GrowthCase } from '../growth-case.ts'
import { startIdentityServer } from '../identity-server.ts'
import { auditRecordsOf } from '../stores.ts'

const restMs = 1000

/** Starts the identity provider on an existing store. */
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
      const store = await stores.copyOf(size, auditRecordsOf(size))
      // The first start creates the keys and the administrator.
      await (await startIdentityServer(store)).stop()
      const seconds: number[] = []
      const residentMb: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const server = await startIdentityServer(store)
        await sleep(tiny ? 0 : restMs)
        seconds.push(server.startToReadyMs / 1000)
        residentMb.push((await server.metrics()).residentMb)
        await server.stop()
      }
      await store.remove()
      figures.push(
        { what: 'start to ready', size, unit: 's', value: median(seconds) },
        { what: 'resident memory at rest', size, unit: 'MB', value: median(residentMb) },
      )
    }
    return figures
  },
}
