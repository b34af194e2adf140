import type { Cores } from './cores.ts'
import type { KeySetServer } from './key-set-server.ts'
import type { LoadGenerator } from './load-generator.ts'
import type { Program } from './programs.ts'
import type { Scene } from './scene.ts'
import type { TokenPool } from './token-pool.ts'

/** What a contender finds in a run: the same for all of them. */
export type Lab = {
  readonly scene: Scene
  readonly keySet: KeySetServer
  /** Tokens for each load of a row whose tokens must be new: none is in two of them. */
  readonly pools: readonly [TokenPool, ...TokenPool[]]
  readonly generator: LoadGenerator
  /** A folder of this run for data and configuration, removed at its end. */
  readonly folder: string
  cores(serverCores: 1 | 2): Cores
}

export type Pace = {
  /** How often every server is started anew. */
  readonly starts: number
  /** How long each row is loaded by itself after each start, twice. */
  readonly aloneSeconds: number
  /** How many turns each row has in a round. */
  readonly turns: number
  /** Length of one turn. */
  readonly turnMs: number
  /** After each turn nobody is asked anything for so long: what was asked last is answered then. */
  readonly restMs: number
  /** How many rounds follow each start. */
  readonly rounds: number
  readonly connections: number
}

/** What one load of a contender came to. A sample with faults does not count. */
export type Sample = {
  readonly requestsPerSecond: number
  /** Of a load without pauses; none where nothing was asked over a connection. */
  readonly p99Ms: number | null
  /** How busy the server's cores were, from 0 to 1; none where the system does not tell. */
  readonly busy: number | null
  /** Processor time of the server for one request; none where the system does not tell. */
  readonly microseconds: number | null
  readonly faults: readonly string[]
}

/** A load that was begun, and goes on only while it has its turn. */
export type HeldLoad = {
  go(): void
  hold(): void
  /** Ends it while it is held; what all its turns came to. */
  end(): Promise<Sample>
}

/** A contender that is up, until it is stopped. */
export type Running = {
  /** Asks it whether it does what its title says: what it fails in, or nothing. */
  prove(): Promise<string[]>
  /**
   * Begins to load it, and holds the load.
   *
   * @param nth how often it was loaded before in its life
   */
  load(nth: number, pace: Pace): Promise<HeldLoad>
  stop(): Promise<void>
}

export type Contender = {
  readonly id: string
  readonly title: string
  readonly group: 'resource server' | 'token endpoint'
  /** Who takes turns with it: those of the same heat, and whom one of them is compared with. */
  readonly heat: string
  /** Programs without which it is left out. */
  readonly needs: readonly Program[]
  /** The contenders that it is set in proportion to, by id. */
  readonly comparedWith: readonly string[]
  /** Which tokens its callers send. */
  readonly tokens: 'few' | 'every one new' | 'none'
  /** Left out of a tiny run: other tests prove that it starts. */
  readonly slowToStart?: boolean
  start(lab: Lab): Promise<Running>
}
