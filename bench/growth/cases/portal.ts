import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { PortalBrowser } from '../../../services/identity-provider/test/portal/portal-browser.ts'
import { median } from '../../harness/results.ts'
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
import { type Store, seed } from '../stores.ts'
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
const rounds = 7
const turnsPerRound = 10
const maxWaitSeconds = 120
/** The processor time of a second in which only timers work. */
const idleCpuSeconds = 0.1
const delta = 'delta: a page of applications'
const measured = [...pages.map(([what]) => what), delta]

/** Pages for administrators, and the pages of a list of changes, by the processor time of the server. */
export const portal: GrowthCase = {
  id: 'portal',
  title:
    'CPU of a page of the portal, and of a list of changes; the size is the number of applications',
  usesStore: true,
  goals: measured.map((what) => ({ what, ratioAtMost: 1.5 })),
  async run({ stores, sizes, isTiny, progress }) {
    const systems: System[] = []
    for (const size of sizes) {
      const store = await stores.copyOf(size, auditRecordsOf(size))
      systems.push(await startSystem(store, size))
    }
    for (const { server } of systems) await untilIdle(server)
    const figures: Figure[] = []
    for (const what of measured) {
      progress(what)
      // In turns, because a busy machine slows each request down.
      const cpuMs = systems.map((): number[] => [])
      for (let round = isTiny ? 0 : -1; round < (isTiny ? 1 : rounds); round += 1)
        for (const [index, { server, turns }] of systems.entries()) {
          const before = await server.metrics()
          for (let turn = 0; turn < turnsPerRound; turn += 1) await turns[what]?.()
          const cpuSeconds = (await server.metrics()).cpuSeconds - before.cpuSeconds
          if (round >= 0) cpuMs[index]?.push((cpuSeconds * 1000) / turnsPerRound)
        }
      for (const [index, { size }] of systems.entries())
        figures.push({ what, size, unit: 'ms', value: median(cpuMs[index] ?? []) })
    }
    for (const { stop } of systems) await stop()
    return { figures }
  },
}

type System = {
  readonly size: number
  readonly server: IdentityServer
  /** Each kind of request, by its name. */
  readonly turns: Readonly<Record<string, () => Promise<void>>>
  stop(): Promise<void>
}

/** Starts a server, and signs its administrator in. */
async function startSystem(store: Store, size: number): Promise<System> {
  const server = await startIdentityServer(store)
  const administrator = await administratorOf(server, store)
  const settings = parseEnv(await readFile(administrator.settingsFile, 'utf8'))
  const browser = new PortalBrowser(server.url)
  await browser.signIn(settings.CLIENT_ID ?? '', settings.CLIENT_SECRET ?? '')
  const opens = pages.map(([what, path]) => [
    what,
    async () => {
      const { status } = await browser.open(path)
      if (status !== 200) throw new Error(`${status} at ${path}`)
    },
  ])
  return {
    ...{ size, server },
    turns: { ...Object.fromEntries(opens), [delta]: pagesOfChanges(administrator) },
    stop: async () => {
      await server.stop()
      await store.remove()
    },
  }
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
