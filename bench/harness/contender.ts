import type { Cores } from './cores.ts'
import type { KeySetServer } from './key-set-server.ts'
import type { LoadGenerator } from './load-generator.ts'
import type { Program } from './programs.ts'
import type { Scene } from './scene.ts'
import type { TokenPool } from './token-pool.ts'

/** What a contender finds when it is measured: the same for all of them in one run. */
export type Lab = {
  readonly scene: Scene
  readonly keySet: KeySetServer
  readonly pool: TokenPool
  readonly generator: LoadGenerator
  /** A folder of this run for data and configuration, removed at its end. */
  readonly folder: string
  cores(serverCores: 1 | 2): Cores
}

export type Pace = {
  readonly seconds: number
  /** Ends a measurement after so many requests instead. */
  readonly requests?: number
  readonly warmUpSeconds: number
  readonly connections: number
}

/** The pace of a row whose requests are much work: a compiler warms up by requests, and gets few. */
export const workingPace = (pace: Pace): Pace => ({
  ...pace,
  warmUpSeconds: 2 * pace.warmUpSeconds,
})

/** One measurement of one contender. A sample with faults does not count. */
export type Sample = {
  readonly requestsPerSecond: number
  /** None where nothing was asked over a connection. */
  readonly p99Ms: number | null
  /** How busy the server's cores were, from 0 to 1; none where the system does not tell. */
  readonly busy: number | null
  /** Processor time of the server for one request; none where the system does not tell. */
  readonly microseconds: number | null
  readonly faults: readonly string[]
}

export type Contender = {
  readonly id: string
  readonly title: string
  readonly group: 'resource server' | 'token endpoint'
  /** Programs without which it is left out. */
  readonly needs: readonly Program[]
  /** The contenders that it is set in proportion to, by id. */
  readonly comparedWith: readonly string[]
  /** How many distinct tokens one measurement may use up, in relation to a core's verifications. */
  readonly tokens: 'few' | 'every one new' | 'none'
  /** Left out of a tiny run: other tests prove that it starts. */
  readonly slowToStart?: boolean
  measure(lab: Lab, pace: Pace): Promise<Sample>
}
