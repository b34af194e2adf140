import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Administrator } from '../../../deploy/drills/administrator.ts'
import { killAtExit } from '../../../deploy/running/process.ts'
import { pacedLoad } from '../../load.ts'
import { repositoryFolder } from '../../machine.ts'
import { type Figure, figuresOf, type GrowthCase } from '../growth-case.ts'
import { readAnswer, spreadForms, startIdentityServer, tokenRequests } from '../identity-server.ts'
import { auditRecordsOf } from '../stores.ts'
import { managementRequests, type Send } from './requests.ts'

const perSecond = 50
/** A new process compiles its code while it answers. Operators meet a server that has run for longer. */
const warmUpSeconds = 10
const command = join(repositoryFolder, 'cli', 'bin', 'greeting.js')

/** Work of an operator, again and again until the signal. */
type Work = (administrator: Administrator, stop: AbortSignal, dataDir: string) => Promise<void>

/** Sends the requests one after another. */
const repeating =
  (...sends: readonly Send[]): Work =>
  async (administrator, stop) => {
    for (let turn = 0; !stop.aborted; turn += 1) {
      const send = sends[turn % sends.length]
      if (send !== undefined) await readAnswer(await send(administrator, turn))
    }
  }

/** Starts the command again and again. The signal stops the last one. */
const exporting: Work = async (_, stop, dataDir) => {
  const args = ['registrations', 'export', '--quiet', '--data-dir', dataDir]
  while (!stop.aborted) {
    const child = killAtExit(
      spawn(process.execPath, [command, ...args], { stdio: 'ignore', env: {} }),
    )
    stop.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    await once(child, 'close')
    if (child.exitCode !== 0 && !stop.aborted)
      throw new Error(`greeting registrations export ended with ${child.exitCode}`)
  }
}

const works: Readonly<Record<string, Work>> = {
  nothing: async () => undefined,
  'lists of 999': repeating((administrator) =>
    administrator.send('graph', 'GET', '/v1.0/applications?$top=999'),
  ),
  filters: repeating(
    managementRequests['filter by appId'],
    managementRequests['filter by displayName'],
    managementRequests['filter by identifierUris'],
    managementRequests['filter by startswith'],
  ),
  'PATCH of names': repeating(managementRequests['PATCH of a name']),
  export: exporting,
  'questions to the sign-in log': repeating(
    managementRequests['sign-ins'],
    managementRequests['sign-ins of a rare client'],
    managementRequests['sign-ins with an unknown reason'],
  ),
}

/** Measures token requests at a constant rate while an operator works. */
export const tokens: GrowthCase = {
  id: 'tokens',
  title: `tokens at ${perSecond}/s during the work of operators; the size is that of applications`,
  goals: [
    { what: 'p99 during', atMost: 25 },
    { what: 'longest pause during', atMost: 25 },
  ],
  async run({ stores, sizes, seconds, rounds, tiny }) {
    const figures: Figure[] = []
    for (const size of sizes) {
      await using store = await stores.copyOf(size, auditRecordsOf(size))
      await using server = await startIdentityServer(store)
      const administrator = new Administrator(server.url, store.dataDir)
      const { url, formOf } = tokenRequests(server.url)
      const length = seconds * rounds
      const forms = spreadForms(formOf, size, perSecond * (length + warmUpSeconds))
      const load = { url, forms, perSecond, seconds: length, warmUpSeconds: 1 }
      await pacedLoad({ ...load, seconds: tiny ? 1 : warmUpSeconds })
      for (const [name, work] of Object.entries(works)) {
        const stop = new AbortController()
        await server.metrics()
        const working = work(administrator, stop.signal, store.dataDir)
        // Its failure is reported below, after the load.
        working.catch(() => undefined)
        const { p50Ms, p99Ms } = await pacedLoad(load)
        const { longestPauseMs } = await server.metrics()
        stop.abort()
        await working
        figures.push(
          ...figuresOf(
            size,
            [`p50 during ${name}`, p50Ms, 'ms'],
            [`p99 during ${name}`, p99Ms, 'ms'],
            [`longest pause during ${name}`, longestPauseMs, 'ms'],
          ),
        )
      }
      const { residentMb } = await server.metrics()
      figures.push(...figuresOf(size, ['resident memory afterwards', residentMb, 'MB']))
    }
    return figures
  },
}
