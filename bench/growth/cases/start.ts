import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { startIdentityServer } from '../identity-server.ts'
import { auditRecordsOf } from './audit-records.ts'

type Run = { startToListeningMs: number; startToReadyMs: number; residentMb: number }

const starts = 3
const restMs = 1000

/** Starts the identity provider on an existing store. */
export const start: GrowthCase = {
  id: 'start',
  title: 'start of the identity provider, and its memory at rest',
  usesStore: true,
  goals: [
    { what: 'start to listening', size: 100_000, atMost: 2.5 },
    { what: 'start to listening', size: 1_000_000, atMost: 25 },
    { what: 'start to ready', ratioAtMost: 1.3 },
    { what: 'resident memory at rest', size: 100_000, atMost: 350 },
    { what: 'resident memory at rest', size: 1_000_000, atMost: 2000 },
  ],
  async run({ stores, sizes, isTiny, progress }) {
    const figures: Figure[] = []
    for (const size of [0, ...sizes]) {
      const store = await stores.copyOf(size, auditRecordsOf(size))
      // The first start creates the keys and the administrator.
      await (await startIdentityServer(store)).stop()
      progress(`starting with ${size} applications`)
      const runs: Run[] = []
      for (let run = 0; run < (isTiny ? 1 : starts); run += 1) {
        const server = await startIdentityServer(store)
        await sleep(isTiny ? 0 : restMs)
        const { residentMb } = await server.metrics()
        const { startToListeningMs, startToReadyMs } = server
        runs.push({ startToListeningMs, startToReadyMs, residentMb })
        await server.stop()
      }
      await store.remove()
      const middle = (value: (run: Run) => number) => median(runs.map(value))
      figures.push(
        {
          ...{ what: 'start to listening', size, unit: 's' },
          value: middle((run) => run.startToListeningMs) / 1000,
        },
        {
          ...{ what: 'start to ready', size, unit: 's' },
          value: middle((run) => run.startToReadyMs) / 1000,
        },
        {
          ...{ what: 'resident memory at rest', size, unit: 'MB' },
          value: middle((run) => run.residentMb),
        },
      )
    }
    return { figures }
  },
}
