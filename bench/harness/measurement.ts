import type { Lab, Pace, Sample } from './contender.ts'
import { watching } from './core-load.ts'
import { type Load, makeLoad } from './load-generator.ts'
import { faultsOf } from './load-report.ts'
import type { TokenPool } from './token-pool.ts'

/** What is asked of a server, and how many cores it has. */
export type Target = {
  readonly serverCores: 1 | 2
  readonly pid: number
  readonly request: Pick<Load, 'url' | 'form'>
  /** The tokens that take turns. */
  readonly tokens?: TokenPool
  /** Whether none of them may be sent twice, the warm-up included. */
  readonly everyTokenNew?: boolean
}

/** Warms a server up, loads it and tells how it went. */
export async function measureLoad(
  { serverCores, pid, request, tokens, everyTokenNew = false }: Target,
  { generator, ...lab }: Lab,
  { warmUpSeconds, ...pace }: Pace,
): Promise<Sample> {
  const cores = lab.cores(serverCores)
  const share = everyTokenNew ? warmUpSeconds / (warmUpSeconds + pace.seconds) : 0
  const spent = Math.floor((tokens?.count ?? 0) * share)
  const lines = (first: number, count: number) =>
    tokens === undefined ? {} : { tokens: { path: tokens.path, first, count } }

  if (warmUpSeconds > 0) {
    const warmUp = { ...request, ...pace, seconds: warmUpSeconds }
    await makeLoad(
      generator,
      { ...warmUp, ...lines(1, everyTokenNew ? spent : (tokens?.count ?? 0)) },
      cores.load,
    )
  }
  const load: Load = { ...request, ...pace, ...lines(spent + 1, (tokens?.count ?? 0) - spent) }
  const { result, watched } = await watching(pid, cores.server, () =>
    makeLoad(generator, load, cores.load),
  )
  return {
    requestsPerSecond: result.requests / result.seconds,
    p99Ms: result.p99Ms,
    busy: watched?.busy ?? null,
    microseconds: watched ? (watched.processorSeconds / result.requests) * 1e6 : null,
    faults: faultsOf(result, everyTokenNew),
  }
}
