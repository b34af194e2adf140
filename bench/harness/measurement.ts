import type { HeldLoad, Lab, Pace } from './contender.ts'
import { CoreLoad } from './core-load.ts'
import { HeldProcess } from './held-process.ts'
import type { Load } from './load-generator.ts'
import { faultsOf, readLoadReport } from './load-report.ts'

/** What is asked of a server, and how many cores it has. */
export type Target = {
  readonly serverCores: 1 | 2
  readonly pid: number
  readonly request: Pick<Load, 'url' | 'form' | 'tokens'>
}

/** Begins to load a server with a load generator. */
export async function beginLoad(
  { serverCores, pid, request }: Target,
  { generator, ...lab }: Lab,
  { connections }: Pace,
): Promise<HeldLoad> {
  const cores = lab.cores(serverCores)
  const command = generator.command({ ...request, connections })
  const making = await HeldProcess.start(command, cores.load, /^ready$/m)
  const server = new CoreLoad(pid, cores.server)
  return {
    go: () => {
      server.watch()
      making.go()
    },
    hold: () => {
      making.hold()
      server.lookAway()
    },
    end: async () => {
      const report = readLoadReport(await making.finish('SIGINT', /^\{.*\}$/m))
      // What every connection asked last before a pause was answered in it.
      const requests = report.requests - connections * making.holds
      const seconds = report.seconds - making.heldSeconds
      const { busy, processorSeconds } = server
      return {
        requestsPerSecond: requests / seconds,
        p99Ms: report.p99Ms,
        busy,
        microseconds: processorSeconds && (processorSeconds / requests) * 1e6,
        faults: faultsOf({ ...report, requests, seconds }, request.tokens?.everyOneNew ?? false),
      }
    },
  }
}
