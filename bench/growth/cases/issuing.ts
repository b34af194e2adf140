import { median } from '../../figures.ts'
import { type Cost, cpuLoad, opensslLoad, pacedLoad } from '../../load.ts'
import { versionOf } from '../../machine.ts'
import type { Figure, GrowthCase } from '../growth-case.ts'
import { spreadForms, startIdentityServer, tokenRequests } from '../identity-server.ts'

/** Without it, the server would compile its code in the first turns. */
const warmUpSeconds = 10
/** The share of the capacity at which a server is meant to run. */
const shareOfCapacity = 0.6
const mostForms = 100_000

/** Issues tokens on one core, in turns with the signatures of openssl. */
export const issuing: GrowthCase = {
  id: 'issuing',
  title: 'tokens on one core; the size is that of applications',
  goals: [
    { what: 'signature of openssl to a token', atLeast: 0.8 },
    { what: 'p99 at 60 % of capacity', atMost: 10 },
  ],
  async run({ stores, sizes, seconds, rounds, tiny }) {
    const hasOpenssl = !tiny && versionOf('openssl') !== undefined
    const figures: Figure[] = []
    for (const size of sizes) {
      const store = await stores.copyOf(size, 0)
      const server = await startIdentityServer(store)
      const { url, formOf } = tokenRequests(server.url)
      const spread = spreadForms(formOf, size, Math.min(size, mostForms))
      let sent = 0
      const one = cpuLoad(server, () => ({ url, forms: [formOf(0)] }))
      const all = cpuLoad(server, (count) => {
        sent += count
        const from = (sent - count) % spread.length
        return { url, forms: [...spread.slice(from), ...spread.slice(0, from)].slice(0, count) }
      })
      for (const load of [one, all]) {
        await load(0)
        await load(tiny ? 0 : warmUpSeconds)
      }
      const turns: { one: Cost; all: Cost; signature: Cost | undefined }[] = []
      for (let round = 0; round < rounds; round += 1)
        turns.push({
          one: await one(seconds),
          all: await all(seconds),
          signature: hasOpenssl ? await opensslLoad(seconds) : undefined,
        })
      const middle = (of: (turn: (typeof turns)[number]) => number) => median(turns.map(of))
      const perSecond = Math.max(
        1,
        Math.round(middle(({ one }) => one.perSecond) * shareOfCapacity),
      )
      const paced = { url, forms: [formOf(0)], perSecond, warmUpSeconds: 1 }
      const { p99Ms } = await pacedLoad({ ...paced, seconds: seconds * rounds })
      figures.push(
        {
          what: 'CPU of a token, one client',
          size,
          unit: 'us',
          value: middle(({ one }) => one.us),
        },
        {
          what: 'CPU of a token, all clients in turn',
          size,
          unit: 'us',
          value: middle(({ all }) => all.us),
        },
        { what: 'p99 at 60 % of capacity', size, unit: 'ms', value: p99Ms },
      )
      if (hasOpenssl)
        figures.push({
          what: 'signature of openssl to a token',
          size,
          unit: 'x',
          value: middle(({ signature, one }) => (signature?.us ?? Number.NaN) / one.us),
        })
      await server.stop()
      await store.remove()
    }
    return figures
  },
}
