import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { PortalBrowser } from '../../../services/identity-provider/test/portal/portal-browser.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import {
  type Administrator,
  administratorOf,
  type IdentityServer,
  readAnswer,
  startIdentityServer,
} from '../identity-server.ts'
import { idsOf } from '../seed-ids.ts'
import { seed } from '../stores.ts'
import { auditRecordsOf } from './audit-records.ts'

const { apiAppId, clientIdOf } = idsOf(seed)

/** Pages of the portal. Each store has the client that they name. */
const pages: readonly (readonly [what: string, path: string])[] = [
  ['portal: overview', '/portal'],
  ['portal: applications', '/portal/applications'],
  ['portal: search for one', '/portal/applications?search=client+0000007'],
  ['portal: search for none', '/portal/applications?search=nothing'],
  ['portal: clients of an API', `/portal/applications/${apiAppId}/assignments`],
  ['portal: permissions of a client', `/portal/applications/${clientIdOf(7)}/permissions`],
]
const turns = 40
const maxWaitSeconds = 120
/** The processor time of a second in which only timers work. */
const idleCpuSeconds = 0.1
const delta = 'delta: a page of applications'

/** Pages for administrators, and the pages of a list of changes, by the processor time of the server. */
export const portal: GrowthCase = {
  id: 'portal',
  title:
    'CPU of a page of the portal, and of a list of changes; the size is the number of applications',
  usesStore: true,
  goals: [...pages.map(([what]) => what), delta].map((what) => ({ what, ratioAtMost: 1.5 })),
  async run({ stores, sizes, isTiny, progress }) {
    const figures: Figure[] = []
    for (const size of sizes) {
      const store = await stores.copyOf(size, auditRecordsOf(size))
      const server = await startIdentityServer(store)
      const administrator = await administratorOf(server, store)
      const settings = parseEnv(await readFile(administrator.settingsFile, 'utf8'))
      const browser = new PortalBrowser(server.url)
      await browser.signIn(settings.CLIENT_ID ?? '', settings.CLIENT_SECRET ?? '')
      await untilIdle(server)
      progress(`pages with ${size} applications`)
      const measure = async (what: string, turn: () => Promise<void>) => {
        const count = isTiny ? 1 : turns
        // The first turns compile the code.
        for (let index = 0; index < count; index += 1) await turn()
        const before = await server.metrics()
        for (let index = 0; index < count; index += 1) await turn()
        const cpuSeconds = (await server.metrics()).cpuSeconds - before.cpuSeconds
        figures.push({ what, size, unit: 'ms', value: (cpuSeconds * 1000) / count })
      }
      for (const [what, path] of pages)
        await measure(what, async () => {
          const { status } = await browser.open(path)
          if (status !== 200) throw new Error(`${status} at ${path}`)
        })
      await measure(delta, pagesOfChanges(administrator))
      await server.stop()
      await store.remove()
    }
    return { figures }
  },
}

/** Waits until SQLite has checked the data file in its thread: that is work of the start. */
async function untilIdle({ metrics }: IdentityServer): Promise<void> {
  for (let second = 0; second < maxWaitSeconds; second += 1) {
    const before = await metrics()
    await sleep(1000)
    if ((await metrics()).cpuSeconds - before.cpuSeconds < idleCpuSeconds) return
  }
  throw new Error('the server did not come to rest after its start')
}

/** Reads the next page of a list of changes with each call, and begins again after the last one. */
function pagesOfChanges({ graph }: Administrator): () => Promise<void> {
  const start = 'applications/delta'
  let next = start
  return async () => {
    const { '@odata.nextLink': link } = await readAnswer<{ '@odata.nextLink'?: string }>(
      await graph(next),
    )
    next = link === undefined ? start : `applications/delta${new URL(link).search}`
  }
}
