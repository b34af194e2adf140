import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { startIdentityServer } from '../identity-server.ts'
import { pacedLoad } from '../load/paced-load.ts'
import { seed } from '../stores.ts'
import { auditRecordsOf } from './audit-records.ts'

const perSecond = 50
const leastRecords = 1000
/** A new process compiles its code while it answers. The cleanup meets a server that has run for longer. */
const warmUpSeconds = 10
/** The cleanup begins while the load is measured: the start and the first second of each load come before. */
const cleanupAfterSeconds = warmUpSeconds + 3
const beside = 'the cleanup'

/** The cleanup deletes most of the sign-in log while tokens are issued. */
export const cleanup: GrowthCase = {
  id: 'cleanup',
  title: `tokens at ${perSecond}/s beside the cleanup; the size is the number of applications`,
  usesStore: true,
  goals: [
    { what: `p99 beside ${beside}`, atMost: 25 },
    { what: `longest pause beside ${beside}`, atMost: 25 },
  ],
  async run({ stores, sizes, seconds, isTiny, progress }) {
    const figures: Figure[] = []
    const latencies = []
    for (const size of sizes) {
      const records = auditRecordsOf(size)
      const store = await stores.copyOf(size, records)
      const server = await startIdentityServer(store, {
        cleanupEveryMs: 1000 * (isTiny ? 1 : cleanupAfterSeconds),
        settings: { MAX_SIGN_IN_RECORDS: String(leastRecords) },
      })
      progress(`tokens with ${size} applications, beside ${beside}`)
      const load = { url: server.url, seed, clients: size, perSecond, seconds }
      if (!isTiny) await pacedLoad({ ...load, seconds: warmUpSeconds })
      await server.metrics()
      const latency = await pacedLoad(load)
      const { longestPauseMs, value } = await server.metrics()
      const left = value('greeting_storage_audit_records{lane="signIns"}')
      if (latency.failures > 0)
        throw new Error(`${latency.failures} tokens beside ${beside} failed`)
      await server.stop()
      await store.remove()
      latencies.push({ size, beside, ...latency })
      figures.push(
        { what: `p99 beside ${beside}`, size, unit: 'ms', value: latency.p99Ms },
        { what: `longest pause beside ${beside}`, size, unit: 'ms', value: longestPauseMs },
        { what: 'records at the last count', size, unit: 'count', value: left },
      )
    }
    return { figures, latencies }
  },
}
