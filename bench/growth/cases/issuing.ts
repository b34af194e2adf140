import { median } from '../../figures.ts'
import { type Cost, type CpuLoad, cpuLoad, opensslLoad, pacedLoad } from '../../load.ts'
import { versionOf } from '../../machine.ts'
import { type Figure, figuresOf, type GrowthCase } from '../growth-case.ts'
import { spreadForms, startIdentityServer, tokenRequests } from '../identity-server.ts'
import { idsOf, seed, seedRoles } from '../seed.ts'

/** Without it, the server would compile its code in the first turns. */
const warmUpSeconds = 10
/** The share of the capacity at which a server is meant to run. */
const shareOfCapacity = 0.6
const mostForms = 100_000

/** Measures token issuance on one core, in turns with openssl signatures. */
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
      await using store = await stores.copyOf(size, 0)
      await using server = await startIdentityServer(store)
      const { url, formOf } = tokenRequests(server.url)
      const spread = spreadForms(formOf, size, Math.min(size, mostForms))
      let sent = 0
      const one = cpuLoad(server, () => ({ url, forms: [formOf(0)] }))
      const all = cpuLoad(server, (count) => {
        sent += count
        const from = (sent - count) % spread.length
        return { url, forms: [...spread.slice(from), ...spread.slice(0, from)].slice(0, count) }
      })
      const ratios: number[] = []
      const [ofOne, ofAll] = await inTurns(
        [one, all],
        tiny ? 0 : warmUpSeconds,
        { seconds, rounds },
        async ({ us }) => {
          if (hasOpenssl) ratios.push((await opensslLoad(seconds)).us / us)
        },
      )
      const capacity = median(ofOne?.map(({ perSecond }) => perSecond) ?? [])
      const perSecond = Math.max(1, Math.round(capacity * shareOfCapacity))
      const paced = { url, forms: [formOf(0)], perSecond, warmUpSeconds: 1 }
      const { p99Ms } = await pacedLoad({ ...paced, seconds: seconds * rounds })
      const middle = (costs: typeof ofOne = []) => median(costs.map(({ us }) => us))
      figures.push(
        ...figuresOf(
          size,
          ['CPU of a token, one client', middle(ofOne), 'us'],
          ['CPU of a token, all clients in turn', middle(ofAll), 'us'],
          ['p99 at 60 % of capacity', p99Ms, 'ms'],
        ),
        ...(hasOpenssl
          ? figuresOf(size, ['signature of openssl to a token', median(ratios), 'x'])
          : []),
      )
    }
    return figures
  },
}

/** The limit of an application. */
const roles = 1200

/** Measures clients with more and more roles of one API, in turns on one core. */
export const rolesOfClient: GrowthCase = {
  id: 'roles',
  title: `tokens for an API with ${roles} roles; the size is the number of roles of the client`,
  goals: [{ what: 'CPU of a token', ratioAtMost: 1.5 }],
  async run({ stores, seconds, rounds, tiny }) {
    const sizes = tiny ? [1, 10] : [1, 50, 200, 1000]
    await using store = await stores.copyOf(sizes.length, 0, (storage) =>
      seedRoles(storage, roles, sizes),
    )
    await using server = await startIdentityServer(store)
    const { url, formOf } = tokenRequests(server.url)
    const { rolesApiAppId } = idsOf(seed)
    const loads = sizes.map((_, client) =>
      cpuLoad(server, () => ({ url, forms: [formOf(client, rolesApiAppId)] })),
    )
    const costs = await inTurns(loads, seconds, { seconds, rounds })
    return costs.flatMap((turns, index) =>
      figuresOf(sizes[index] ?? 0, ['CPU of a token', median(turns.map(({ us }) => us)), 'us']),
    )
  },
}

/**
 * Warms all loads up, and takes turns.
 *
 * @param between runs in each turn, with the cost of its first load
 * @returns the costs of each load
 */
async function inTurns(
  loads: readonly CpuLoad[],
  warmUpSeconds: number,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
  between?: (first: Cost) => Promise<void>,
): Promise<Cost[][]> {
  // The first loads find the speed, and the next ones compile the code of the server.
  for (const length of [0, warmUpSeconds]) for (const load of loads) await load(length)
  const costs = loads.map((): Cost[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, load] of loads.entries()) costs[index]?.push(await load(seconds))
    const first = costs[0]?.at(-1)
    if (first) await between?.(first)
  }
  return costs
}
