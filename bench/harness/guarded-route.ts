import type { Contender, Lab } from './contender.ts'
import { proofOfGuarding, proofOfOpenness } from './guard-proof.ts'
import { beginLoad } from './measurement.ts'
import type { RunningServer } from './server-process.ts'

/** How many callers take turns where tokens are remembered. */
export const callers = 100

/** The server of a row and which of its routes is asked. */
export type RouteServer = {
  readonly path: string
  start(lab: Lab, cores: readonly number[]): Promise<RunningServer>
}

/** Lets rows share a server: it is started with the first of them and stopped with the last. */
export function shared(start: RouteServer['start']): RouteServer['start'] {
  let running: ReturnType<RouteServer['start']> | undefined
  let rows = 0
  return async (lab, cores) => {
    rows += 1
    running ??= start(lab, cores)
    const leave = async () => {
      rows -= 1
      if (rows > 0) return
      const last = running
      running = undefined
      await (await last)?.stop()
    }
    try {
      return { ...(await running), stop: leave }
    } catch (error) {
      running = undefined
      rows -= 1
      throw error
    }
  }
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
        load: (nth, pace) => {
          const pool = everyTokenNew ? lab.pools[nth] : { ...lab.pools[0], count: callers }
          if (pool === undefined) throw new Error('there are no new tokens left')
          const tokens = { ...pool, everyOneNew: everyTokenNew }
          return beginLoad(
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
