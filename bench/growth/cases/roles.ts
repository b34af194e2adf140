import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { startOneCoreIssuer } from '../one-core-issuer.ts'
import { openForSeeding } from '../open-for-seeding.ts'
import { seedRoles } from '../seed.ts'
import { idsOf } from '../seed-ids.ts'
import { seed } from '../stores.ts'

/** The limit of an application. */
const roles = 1200
const assigned = [1, 50, 200, 1000]
const tinyAssigned = [1, 10]
const rounds = 5
const turnSeconds = 2
const rest = 'the same without the signature'

/** Clients with more and more roles of one API, in turns on one core. */
export const rolesOfClient: GrowthCase = {
  id: 'roles',
  title: `tokens for an API with ${roles} roles; the size is the number of those that the client has`,
  usesStore: true,
  goals: [
    { what: 'CPU of a token', ratioAtMost: 1.5 },
    { what: rest, size: 200, ratioAtMost: 1.5 },
  ],
  async run(context) {
    const { isTiny, progress } = context
    const sizes = isTiny ? tinyAssigned : assigned
    const issuer = await startOneCoreIssuer(context, sizes.length, async (store) => {
      const storage = await openForSeeding(store)
      await seedRoles(storage, { seed, at: new Date() }, { roles, assigned: sizes })
      await storage.close()
    })
    const appId = idsOf(seed).rolesApiAppId
    const loads = await Promise.all(sizes.map((_, client) => issuer.issuing({ client, appId })))
    const seconds = isTiny ? 1 : turnSeconds
    const turns: { readonly cpuUs: readonly number[]; readonly signatureUs: number | undefined }[] =
      []
    progress(`tokens with ${sizes.join(', ')} roles`)
    // Without the first turns, the server would compile its code in those that count.
    for (let round = isTiny ? 0 : -1; round < (isTiny ? 1 : rounds); round += 1) {
      const cpuUs: number[] = []
      for (const issue of loads) cpuUs.push((await issue(seconds)).cpuUs)
      if (round >= 0) turns.push({ cpuUs, signatureUs: await issuer.signatureUs(seconds) })
    }
    await issuer.stop()
    const signatures = turns.flatMap(({ signatureUs }) => signatureUs ?? [])
    const figures = sizes.flatMap((size, client): Figure[] => {
      const value = median(turns.map(({ cpuUs }) => cpuUs[client] ?? Number.NaN))
      const token: Figure = { what: 'CPU of a token', size, unit: 'us', value }
      if (signatures.length === 0) return [token]
      return [token, { ...token, what: rest, value: value - median(signatures) }]
    })
    return { figures }
  },
}
