import type { LoadGenerator, LoadRequest } from './load.ts'
import type { Program } from './programs.ts'
import type { Setup } from './setup.ts'

/** A started server: what is sent to it, and how to check and stop it. */
export type Server = {
  readonly request: LoadRequest
  /** Checks that the server does what the title of the row promises; returns every failure. */
  prove(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** One row of a table: a server, or one route of it, and how it is measured. */
export type Row = {
  readonly id: string
  readonly title: string
  readonly table: 'resource server' | 'token endpoint'
  /** Rows of one group run at the same time and take turns. */
  readonly group: string
  /** Programs without which the row is left out. */
  readonly needs: readonly Program[]
  /** Ids of the rows that this row is divided by. They join its group. */
  readonly comparedWith: readonly string[]
  readonly tokens: 'few' | 'unique' | 'none'
  readonly serverCores: 1 | 2
  /** The load of a row that is not loaded over HTTP; it runs on the cores of the server. */
  readonly generator?: LoadGenerator
  /** Left out of a tiny run: other tests prove that it starts. */
  readonly slowToStart?: boolean
  start(setup: Setup, cores: readonly number[]): Promise<Server>
}
