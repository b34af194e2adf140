import { median } from '../../figures.ts'
import { cpuLoad } from '../../load.ts'
import type { GrowthCase } from '../growth-case.ts'
import { startIdentityServer, tokenRequests } from '../identity-server.ts'
import { idsOf, seedRoles } from '../seed.ts'
import { openForSeeding, seed } from '../stores.ts'

/** The limit of an application. */
const roles = 1200

/** Clients with more and more roles of one API, in turns on one core. */
export const rolesOfClient: GrowthCase = {
  id: 'roles',
  title: `tokens for an API with ${roles} roles; the size is the number of roles of the client`,
  goals: [{ what: 'CPU of a token', ratioAtMost: 1.5 }],
  async run({ stores, seconds, rounds, tiny }) {
    const sizes = tiny ? [1, 10] : [1, 50, 200, 1000]
    const store = await stores.copyOf(sizes.length, 0)
    const storage = await openForSeeding(store)
    await seedRoles(storage, { seed, at: new Date() }, { roles, assigned: sizes })
    await storage.close()
    const server = await startIdentityServer(store)
    const { url, formOf } = tokenRequests(server.url)
    const appId = idsOf(seed).rolesApiAppId
    const turns = sizes.map((size, client) => {
      const load = cpuLoad(server, () => ({ url, forms: [formOf(client, appId)] }))
      return { size, load, us: [] as number[] }
    })
    // The first loads find the speed, and compile the code of the server.
    for (const length of [0, seconds]) for (const { load } of turns) await load(length)
    for (let round = 0; round < rounds; round += 1)
      for (const { load, us } of turns) us.push((await load(seconds)).us)
    await server.stop()
    await store.remove()
    return turns.map(({ size, us }) => ({
      what: 'CPU of a token',
      size,
      unit: 'us',
      value: median(us),
    }))
  },
}
