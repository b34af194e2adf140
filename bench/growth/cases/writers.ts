import { Administrator } from '../../../deploy/drills/administrator.ts'
import type { Figure, GrowthCase } from '../growth-case.ts'
import { startIdentityServer } from '../identity-server.ts'

const writersAtOnce = [1, 12]

/** Writers that create applications through Microsoft Graph at the same time. */
export const writers: GrowthCase = {
  id: 'writers',
  title: 'applications that writers create, each after its last one; the size is that of writers',
  goals: [],
  async run({ stores, sizes: [applications = 0], seconds, rounds }) {
    const figures: Figure[] = []
    for (const size of writersAtOnce) {
      const store = await stores.copyOf(applications, 0)
      const server = await startIdentityServer(store)
      const administrator = new Administrator(server.url, store.dataDir)
      const during = async (lengthMs: number) => {
        const startedMs = performance.now()
        const [before, counts] = [await server.metrics(), Array.from({ length: size }, () => 0)]
        await Promise.all(
          counts.map(async (_, writer) => {
            for (let turn = 0; performance.now() - startedMs < lengthMs; turn += 1) {
              await administrator.createApplication(`Writer ${writer}, ${turn}`)
              counts[writer] = turn + 1
            }
          }),
        )
        const count = counts.reduce((sum, one) => sum + one, 0)
        const cpuMs = ((await server.metrics()).cpuSeconds - before.cpuSeconds) * 1000
        return { perSecond: (count * 1000) / (performance.now() - startedMs), cpuMs: cpuMs / count }
      }
      // Without the first writes, the server would compile its code in those that count.
      await during(1000 * seconds)
      const { perSecond, cpuMs } = await during(1000 * seconds * rounds)
      figures.push(
        { what: 'creations', size, unit: '/s', value: perSecond },
        { what: 'CPU of a creation', size, unit: 'ms', value: cpuMs },
      )
      await server.stop()
      await store.remove()
    }
    return figures
  },
}
