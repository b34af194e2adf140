import { median } from '../../harness/results.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import {
  type Administrator,
  administratorOf,
  readAnswer,
  startIdentityServer,
} from '../identity-server.ts'
import { guidOf, idsOf } from '../seed-ids.ts'
import { seed } from '../stores.ts'
import { auditRecordsOf } from './audit-records.ts'

type Request = {
  readonly what: string
  readonly send: (administrator: Administrator, client: number, turn: number) => Promise<Response>
}

const filter = (set: string, expression: string): string =>
  `${set}?$filter=${encodeURIComponent(expression)}`
const nameOf = (client: number) => `Client ${String(client).padStart(7, '0')}`
const { clientIdOf } = idsOf(seed)

/** Each kind of request that an administrator sends to Microsoft Graph. */
export const graphRequests: readonly Request[] = [
  { what: 'list page of 100', send: ({ graph }) => graph('applications?$top=100') },
  {
    what: 'filter by appId',
    send: ({ graph }, client) => graph(filter('applications', `appId eq '${clientIdOf(client)}'`)),
  },
  {
    what: 'filter by displayName',
    send: ({ graph }, client) =>
      graph(filter('applications', `displayName eq '${nameOf(client)}'`)),
  },
  {
    what: 'filter by identifierUris',
    send: ({ graph }, client) =>
      graph(filter('applications', `identifierUris/any(x:x eq 'api://${clientIdOf(client)}')`)),
  },
  {
    what: 'filter by servicePrincipalNames',
    send: ({ graph }, client) =>
      graph(
        filter('servicePrincipals', `servicePrincipalNames/any(x:x eq '${clientIdOf(client)}')`),
      ),
  },
  {
    what: 'filter by startswith',
    send: ({ graph }) => graph(filter('applications', `startswith(displayName,'Client 00000')`)),
  },
  { what: 'count', send: ({ graph }) => graph('applications?$count=true&$top=1') },
  {
    what: 'PATCH of a name',
    send: ({ graph }, client, turn) =>
      graph(`applications/${guidOf(seed, `client ${client}`)}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ displayName: `${nameOf(client)} ${turn}` }),
      }),
  },
]

const turns = 31
const warmUpTurns = 20

/** Lists, filters, counts and changes through Microsoft Graph. */
export const graph: GrowthCase = {
  id: 'graph',
  title: 'a request to Microsoft Graph, median',
  usesStore: true,
  goals: graphRequests.map(({ what }) => ({ what, ratioAtMost: 1.5 })),
  async run({ stores, sizes, isTiny, progress }) {
    const figures: Figure[] = []
    for (const size of sizes) {
      const store = await stores.copyOf(size, auditRecordsOf(size))
      const server = await startIdentityServer(store)
      const administrator = await administratorOf(server, store)
      progress(`requests to Microsoft Graph with ${size} applications`)
      for (const { what, send } of graphRequests) {
        const times: number[] = []
        for (let turn = isTiny ? 0 : -warmUpTurns; turn < (isTiny ? 1 : turns); turn += 1) {
          const startedMs = performance.now()
          // Each turn asks for another client. The first ones are in every store.
          const client = (turn + warmUpTurns) % size
          await readAnswer(await send(administrator, client, turn))
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
