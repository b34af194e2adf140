import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { administratorOf, readAnswer, startIdentityServer } from '../identity-server.ts'
import { guidOf, idsOf } from '../seed-ids.ts'
import { seed } from '../stores.ts'
import { auditRecordsOf } from './audit-records.ts'

const { clientIdOf } = idsOf(seed)
const missing = '00000000-0000-4000-8000-000000000000'

/** The queries by name. A third of all records has the busy client; others have one in 750. */
export const auditQueries: readonly (readonly [what: string, query: string])[] = [
  ['without a filter', ''],
  ['limit 1000', 'limit=1000'],
  ['from', `from=${new Date(Date.now() - 3_600_000).toISOString()}`],
  ['to', `to=${new Date(Date.now() - 60_000).toISOString()}`],
  ['busy actor', `actor=${clientIdOf(0)}`],
  ['rare actor', `actor=${clientIdOf(7)}`],
  ['unknown actor', `actor=${missing}`],
  ['reason', 'reason=scope_invalid'],
  ['unknown reason', 'reason=secret_wrong'],
  ['outcome', 'outcome=refused'],
  ['target', `target=${guidOf(seed, 'target 1')}`],
  ['unknown target', `target=${missing}`],
  ['unknown action', 'action=application.create'],
  ['correlation ID', `correlationId=${guidOf(seed, 'correlation 5')}`],
  ['unknown correlation ID', `correlationId=${missing}`],
  ['actor and reason', `actor=${clientIdOf(0)}&reason=scope_invalid`],
  ['actor and unknown reason', `actor=${clientIdOf(0)}&reason=secret_wrong`],
]

const turns = 5

/** Asks the sign-in log, with each filter. The size is the number of records. */
export const audit: GrowthCase = {
  id: 'audit',
  title: 'a question to the sign-in log, median; the size is the number of records',
  usesStore: true,
  goals: [{ what: '*', atMost: 20 }],
  async run({ stores, sizes, isTiny, progress }) {
    const figures: Figure[] = []
    const seen = new Set<number>()
    for (const applications of sizes) {
      const size = auditRecordsOf(applications)
      if (seen.has(size)) continue
      seen.add(size)
      const store = await stores.copyOf(applications, size)
      const server = await startIdentityServer(store)
      const administrator = await administratorOf(server, store)
      progress(`questions to ${size} sign-ins`)
      for (const [what, query] of auditQueries) {
        const times: number[] = []
        for (let turn = -1; turn < (isTiny ? 1 : turns); turn += 1) {
          const startedMs = performance.now()
          await readAnswer(await administrator.audit(query))
          if (turn >= 0) times.push(performance.now() - startedMs)
        }
        figures.push({ what, size, unit: 'ms', value: median(times) })
      }
      await server.stop()
      await store.remove()
    }
    return { figures }
  },
}
