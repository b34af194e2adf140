import { setTimeout as sleep } from 'node:timers/promises'
import { Administrator } from '../../../deploy/drills/administrator.ts'
import { PortalBrowser } from '../../../test/fixtures/portal/portal-browser.ts'
import { median } from '../../figures.ts'
import { type Figure, figuresOf, type GrowthCase } from '../growth-case.ts'
import { type IdentityServer, readAnswer, startIdentityServer } from '../identity-server.ts'
import { guidOf, idsOf, nameOf, seed } from '../seed.ts'
import { auditRecordsOf } from '../stores.ts'

/** Sends one request. Each call is for another client. */
export type Send = (administrator: Administrator, turn: number) => Promise<Response>

const { apiAppId, clientIdOf } = idsOf(seed)
/** The least size of a store. */
const clients = 20

const get = (administrator: Administrator, path: string) =>
  administrator.send('graph', 'GET', `/v1.0/${path}`)
const signIns =
  (query: string): Send =>
  (administrator) =>
    administrator.send('management', 'GET', `/management/audit?log=signIns&${query}`)

const filter =
  (set: string, expressionOf: (client: number) => string): Send =>
  (administrator, turn) =>
    get(administrator, `${set}?$filter=${encodeURIComponent(expressionOf(turn % clients))}`)

/** Measures requests to Microsoft Graph, and sign-in log queries for one client in 750, which has one record. */
export const managementRequests = {
  'list page of 100': (administrator) => get(administrator, 'applications?$top=100'),
  'filter by appId': filter('applications', (client) => `appId eq '${clientIdOf(client)}'`),
  'filter by displayName': filter('applications', (client) => `displayName eq '${nameOf(client)}'`),
  'filter by identifierUris': filter(
    'applications',
    (client) => `identifierUris/any(x:x eq 'api://${clientIdOf(client | 1)}')`,
  ),
  'filter by servicePrincipalNames': filter(
    'servicePrincipals',
    (client) => `servicePrincipalNames/any(x:x eq '${clientIdOf(client)}')`,
  ),
  'filter by startswith': filter('applications', () => `startswith(displayName,'Client 000000')`),
  count: (administrator) => get(administrator, 'applications?$count=true&$top=1'),
  assignments: (administrator) =>
    get(
      administrator,
      `servicePrincipals/${guidOf(seed, 'api principal')}/appRoleAssignedTo?$top=100`,
    ),
  'PATCH of a name': (administrator, turn) =>
    administrator.send(
      'graph',
      'PATCH',
      `/v1.0/applications/${guidOf(seed, `client ${turn % clients}`)}`,
      { displayName: `${nameOf(turn % clients)} ${turn}` },
    ),
  'sign-ins': signIns(''),
  'sign-ins of a rare client': signIns(`actor=${clientIdOf(7)}`),
  'sign-ins with an unknown reason': signIns(`actor=${clientIdOf(0)}&reason=secret_wrong`),
} as const satisfies Readonly<Record<string, Send>>

/** Pages of the portal. Each store has the client that they name. */
const portalPages: Readonly<Record<string, string>> = {
  'portal: overview': '/portal',
  'portal: applications': '/portal/applications',
  'portal: newest applications': '/portal/applications?order=createdDateTime+desc',
  'portal: search for one': '/portal/applications?search=client+0000007',
  'portal: search for none': '/portal/applications?search=nothing',
  'portal: clients of an API': `/portal/applications/${apiAppId}/assignments`,
  'portal: permissions of a client': `/portal/applications/${clientIdOf(7)}/permissions`,
}

const turnsPerRound = 20
const maxWaitSeconds = 120
/** The processor time of a second in which only timers work. */
const idleCpuSeconds = 0.1

/** Measures administrator requests by the CPU time of the server. */
export const requests: GrowthCase = {
  id: 'requests',
  title: 'CPU of a request of an administrator; the size is that of applications',
  goals: [{ what: '', ratioAtMost: 1.5 }],
  async run({ stores, sizes, rounds, tiny }) {
    await using stack = new AsyncDisposableStack()
    const samples: {
      size: number
      what: string
      server: IdentityServer
      send: Turn
      ms: number[]
    }[] = []
    for (const size of sizes) {
      const store = stack.use(await stores.copyOf(size, auditRecordsOf(size)))
      const server = stack.use(await startIdentityServer(store))
      if (!tiny) await untilIdle(server)
      for (const [what, send] of await requestsTo(server, store.dataDir))
        samples.push({ size, what, server, send, ms: [] })
    }
    // In turns, because a busy machine slows each request down.
    const inTurns = [...Map.groupBy(samples, ({ what }) => what).values()].flat()
    for (let round = tiny ? 0 : -1; round < rounds; round += 1)
      for (const { server, send, ms } of inTurns) {
        const before = await server.metrics()
        for (let turn = 0; turn < (tiny ? 1 : turnsPerRound); turn += 1) await send(turn)
        const cpuSeconds = (await server.metrics()).cpuSeconds - before.cpuSeconds
        if (round >= 0) ms.push((cpuSeconds * 1000) / turnsPerRound)
      }
    return inTurns.flatMap(({ what, size, ms }) => figuresOf(size, [what, median(ms), 'ms']))
  },
}

const writersAtOnce = [1, 16]

/** Measures writers that create applications through Microsoft Graph at the same time. */
export const writers: GrowthCase = {
  id: 'writers',
  title: 'applications that writers create, each after its last one; the size is that of writers',
  goals: [],
  async run({ stores, sizes: [applications = 0], seconds, rounds }) {
    const figures: Figure[] = []
    await using store = await stores.copyOf(applications, 0)
    await using server = await startIdentityServer(store)
    const first = new Administrator(server.url, store.dataDir)
    const others = await Promise.all(
      Array.from({ length: Math.max(...writersAtOnce) }, (_, tenant) =>
        first.createTenant(`Writers ${tenant}`),
      ),
    )
    const during = async (administrators: readonly Administrator[], lengthMs: number) => {
      const startedMs = performance.now()
      const before = await server.metrics()
      let count = 0
      const write = async (administrator: Administrator, writer: number) => {
        for (let turn = 0; performance.now() - startedMs < lengthMs; turn += 1) {
          await administrator.createApplication(`Writer ${writer}, ${turn}`)
          count += 1
        }
      }
      await Promise.all(administrators.map(write))
      const cpuMs = ((await server.metrics()).cpuSeconds - before.cpuSeconds) * 1000
      return { perSecond: (count * 1000) / (performance.now() - startedMs), cpuMs: cpuMs / count }
    }
    for (const size of writersAtOnce)
      for (const [what, administrators] of [
        ['in one tenant', Array.from({ length: size }, () => first)],
        ['in a tenant each', others.slice(0, size)],
      ] as const) {
        // Without the first writes, the server would compile its code in those that count.
        await during(administrators, 1000 * seconds)
        const { perSecond, cpuMs } = await during(administrators, 1000 * seconds * rounds)
        figures.push(
          ...figuresOf(
            size,
            [`creations ${what}`, perSecond, '/s'],
            [`CPU of a creation ${what}`, cpuMs, 'ms'],
          ),
        )
      }
    return figures
  },
}

type Turn = (turn: number) => Promise<unknown>

/** Each request to a server, by its name. Signs its administrator in. */
async function requestsTo(server: IdentityServer, dataDir: string): Promise<[string, Turn][]> {
  const administrator = new Administrator(server.url, dataDir)
  // A tenant with one application beside the tenant of the store.
  const small = await administrator.createTenant('Small')
  const apis = encodeURIComponent("servicePrincipalNames/any(x:startswith(x,'api://'))")
  return [
    [
      'APIs of a small tenant',
      async () => readAnswer(await get(small, `servicePrincipals?$filter=${apis}`)),
    ],
    ...Object.entries<Send>(managementRequests).map(([what, send]): [string, Turn] => [
      what,
      async (turn) => readAnswer(await send(administrator, turn)),
    ]),
    ['delta: a page of applications', pagesOfChanges(administrator)],
    ...(await pagesTo(server, administrator, portalPages)),
    ...(await pagesTo(server, small, {
      'portal: overview of a small tenant': '/portal',
      'portal: applications of a small tenant': '/portal/applications',
      'portal: permissions in a small tenant': `/portal/applications/${small.clientId}/permissions`,
    })),
  ]
}

/** Signs an administrator in to the portal; each page is one request. */
async function pagesTo(
  { url }: IdentityServer,
  { clientId, clientSecret }: Administrator,
  pages: Readonly<Record<string, string>>,
): Promise<[string, Turn][]> {
  const browser = new PortalBrowser(url)
  await browser.signIn(clientId, clientSecret)
  return Object.entries(pages).map(([what, path]) => [
    what,
    async () => {
      const { status } = await browser.open(path)
      if (status !== 200) throw new Error(`${status} at ${path}`)
    },
  ])
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
function pagesOfChanges(administrator: Administrator): () => Promise<void> {
  const start = 'applications/delta'
  let next = start
  return async () => {
    const { '@odata.nextLink': link } = await readAnswer<{ '@odata.nextLink'?: string }>(
      await get(administrator, next),
    )
    next = link === undefined ? start : `applications/delta${new URL(link).search}`
  }
}
