import type { Contender, Lab } from './contender.ts'
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

type Row = Omit<Contender, 'group' | 'start'> & {
  readonly server: RouteServer
  /** Whether anybody gets in. */
  readonly open?: true
}

/** A row that measures `GET` on one route of a resource server. */
export function guardedRoute({ server, open, ...row }: Row): Contender {
  return {
    ...row,
    group: 'resource server',
    start: async (lab) => {
      const running = await server.start(lab, lab.cores(1).server)
      const url = running.url + server.path
      const everyTokenNew = row.tokens === 'every one new'
      return {
        prove: () => (open ? proofOfOpenness(url) : proofOfGuarding(url, lab.scene)),
        load: (turn, pace) => {
          const pool = everyTokenNew ? lab.pools[turn] : { ...lab.pools[0], count: callers }
          if (pool === undefined) throw new Error('there are no new tokens left')
          const tokens = { ...pool, everyOneNew: everyTokenNew }
          return measureLoad(
            { serverCores: 1, pid: running.pid, request: { url, tokens } },
            lab,
            pace,
          )
        },
        stop: running.stop,
      }
    },
  }
}
