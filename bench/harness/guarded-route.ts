import { type Contender, type Lab, workingPace } from './contender.ts'
import { proofOfGuarding, proofOfOpenness } from './guard-proof.ts'
import { measureLoad } from './measurement.ts'
import type { RunningServer } from './server-process.ts'

/** How many callers take turns where tokens are remembered. */
export const callers = 100

/** The server of a row and which of its routes is asked. */
export type RouteServer = {
  readonly path: string
  start(lab: Lab, cores: readonly number[]): Promise<RunningServer>
}

type Row = Omit<Contender, 'group' | 'measure'> & {
  readonly server: RouteServer
  /** Whether anybody gets in. */
  readonly open?: true
}

/** A row that measures `GET` on one route of a resource server. */
export function guardedRoute({ server, open, ...row }: Row): Contender {
  return {
    ...row,
    group: 'resource server',
    measure: async (lab, pace) => {
      const running = await server.start(lab, lab.cores(1).server)
      try {
        const url = running.url + server.path
        const prove = () => (open ? proofOfOpenness(url) : proofOfGuarding(url, lab.scene))
        const everyTokenNew = row.tokens === 'every one new'
        const tokens = everyTokenNew ? lab.pool : { ...lab.pool, count: callers }
        const before = await prove()
        const sample = await measureLoad(
          { serverCores: 1, pid: running.pid, request: { url }, tokens, everyTokenNew },
          lab,
          everyTokenNew ? workingPace(pace) : pace,
        )
        return { ...sample, faults: [...before, ...sample.faults, ...(await prove())] }
      } finally {
        await running.stop()
      }
    },
  }
}
