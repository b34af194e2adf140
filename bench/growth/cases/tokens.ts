import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { killAtExit } from '../../harness/child-processes.ts'
import { repositoryFolder } from '../../harness/programs.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import {
  type Administrator,
  administratorOf,
  readAnswer,
  startIdentityServer,
} from '../identity-server.ts'
import type { Latency } from '../latency.ts'
import { pacedLoad } from '../load/paced-load.ts'
import { leastStolen } from '../stolen-time.ts'
import { seed } from '../stores.ts'
import { auditQueries } from './audit.ts'
import { auditRecordsOf } from './audit-records.ts'
import { graphRequests } from './graph.ts'

const perSecond = 50
/** A new process compiles its code while it answers. Operators meet a server that has run for longer. */
const warmUpSeconds = 10
const command = join(repositoryFolder, 'cli', 'bin', 'greeting.js')

/** Work of an operator, again and again until the signal. */
type Disturbance = {
  readonly beside: string
  readonly run: (administrator: Administrator, stop: AbortSignal) => Promise<void>
}

/** Sends the requests one after the other. */
const repeating =
  (send: (administrator: Administrator, turn: number) => Promise<Response>): Disturbance['run'] =>
  async (administrator, stop) => {
    for (let turn = 0; !stop.aborted; turn += 1) await readAnswer(await send(administrator, turn))
  }

const graphRequest = (index: number): Disturbance['run'] =>
  repeating((administrator, turn) => {
    const request = graphRequests.at(index)
    if (request === undefined) throw new TypeError(`there is no request ${index}`)
    return request.send(administrator, 0, turn)
  })

const filters = [1, 2, 3, 4, 5]

const disturbances: readonly Disturbance[] = [
  { beside: 'nothing', run: async () => undefined },
  { beside: 'lists', run: repeating(({ graph }) => graph('applications?$top=999')) },
  {
    beside: 'filters',
    run: repeating((administrator, turn) => {
      const request = graphRequests[filters[turn % filters.length] ?? 1]
      if (request === undefined) throw new TypeError('there is no such filter')
      return request.send(administrator, 0, turn)
    }),
  },
  { beside: 'PATCH', run: graphRequest(-1) },
  { beside: 'export', run: repeatedExport },
  {
    beside: 'audit questions',
    run: repeating(({ audit }, turn) => audit(auditQueries[turn % auditQueries.length]?.[1] ?? '')),
  },
]

/** Starts the command; when the load ends, the export is stopped. */
async function repeatedExport({ settingsFile }: Administrator, stop: AbortSignal): Promise<void> {
  const args = ['registrations', 'export', '--quiet', '--settings', settingsFile]
  while (!stop.aborted) {
    const child = killAtExit(
      spawn(process.execPath, [command, ...args], { stdio: 'ignore', env: {} }),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    child.once('close', () => resolve())
    stop.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    await promise
    if (child.exitCode !== 0 && !stop.aborted)
      throw new Error(`greeting registrations export ended with ${child.exitCode}`)
  }
}

/** Requests tokens at a constant rate while an operator works. */
export const tokens: GrowthCase = {
  id: 'tokens',
  title: `tokens at ${perSecond}/s beside the work of operators`,
  usesStore: true,
  goals: [
    { what: 'p99 beside *', atMost: 25 },
    { what: 'p99 to idle beside *', atMost: 2 },
    { what: 'longest pause beside *', atMost: 25 },
  ],
  async run({ stores, sizes, seconds, isTiny, progress }) {
    const figures: Figure[] = []
    const latencies: ({ size: number; beside: string } & Latency)[] = []
    for (const size of sizes) {
      const store = await stores.copyOf(size, auditRecordsOf(size))
      const server = await startIdentityServer(store)
      const administrator = await administratorOf(server, store)
      const load = { url: server.url, seed, clients: size, perSecond, seconds }
      await pacedLoad({ ...load, seconds: isTiny ? 1 : warmUpSeconds })
      let idleP99Ms = 0
      for (const { beside, run } of disturbances) {
        progress(`tokens with ${size} applications, beside ${beside}`)
        const { latency, longestPauseMs } = await leastStolen(async () => {
          const stop = new AbortController()
          await server.metrics()
          const disturbance = run(administrator, stop.signal)
          // Its failure is reported below, after the load.
          disturbance.catch(() => undefined)
          const latency = await pacedLoad(load)
          const { longestPauseMs } = await server.metrics()
          stop.abort()
          await disturbance
          return { latency, longestPauseMs }
        })
        if (latency.failures > 0)
          throw new Error(`${latency.failures} tokens beside ${beside} failed`)
        latencies.push({ size, beside, ...latency })
        figures.push(
          { what: `p99 beside ${beside}`, size, unit: 'ms', value: latency.p99Ms },
          { what: `longest pause beside ${beside}`, size, unit: 'ms', value: longestPauseMs },
        )
        if (beside === 'nothing') idleP99Ms = latency.p99Ms
        else
          figures.push({
            ...{ what: `p99 to idle beside ${beside}`, size, unit: 'x' },
            value: latency.p99Ms / idleP99Ms,
          })
      }
      const { residentMb } = await server.metrics()
      figures.push({ what: 'resident memory afterwards', size, unit: 'MB', value: residentMb })
      await server.stop()
      await store.remove()
    }
    return { figures, latencies }
  },
}
