import type { Lab, Pace, Sample } from './contender.ts'
import { watching } from './core-load.ts'
import { type Load, makeLoad } from './load-generator.ts'
import { faultsOf } from './load-report.ts'

/** What is asked of a server, and how many cores it has. */
export type Target = {
  readonly serverCores: 1 | 2
  readonly pid: number
  readonly request: Pick<Load, 'url' | 'form' | 'tokens'>
}

/** Loads a server once and tells how it went. */
export async function measureLoad(
  { serverCores, pid, request }: Target,
  { generator, ...lab }: Lab,
  { seconds, requests, connections }: Pace,
): Promise<Sample> {
  const cores = lab.cores(serverCores)
  const length = requests === undefined ? { seconds } : { seconds, requests }
  const load: Load = { ...request, ...length, connections }
  const { result, watched } = await watching(pid, cores.server, () =>
    makeLoad(generator, load, cores.load),
  )
  // While the generator reads its tokens nobody asks anything: only the seconds of the load count.
  const coreSeconds = result.seconds * cores.server.length
  return {
    requestsPerSecond: result.requests / result.seconds,
    p99Ms: result.p99Ms,
    busy: watched ? Math.min(1, watched.busySeconds / coreSeconds) : null,
    microseconds: watched ? (watched.processorSeconds / result.requests) * 1e6 : null,
    faults: faultsOf(result, request.tokens?.everyOneNew ?? false),
  }
}
