import type { LoadGenerator, LoadRequest } from './load.ts'
import type { Program } from './programs.ts'
import type { Setup } from './setup.ts'

/** A started server: its requests, its check and its stop. */
export type Server = {
  readonly request: LoadRequest
  /** Checks that the server has the features in the title of its row; returns every failure. */
  prove(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** One row of a table: a server, or one of its routes, and its measurement. */
export type Row = {
  readonly id: string
  readonly title: string
  readonly table: 'resource server' | 'token endpoint'
  /** Rows of one group run at the same time and take turns. */
  readonly group: string
  /** Programs without which the row is left out. */
  readonly needs: readonly Program[]
  /** IDs of the rows by which this row is divided. They join its group. */
  readonly comparedWith: readonly string[]
  readonly tokens: 'few' | 'unique' | 'none'
  readonly serverCores: 1 | 2
  /** The load of a row that is not loaded over HTTP; it runs on the cores of the server. */
  readonly generator?: LoadGenerator
  /** Omitted from a tiny run: other tests start it. */
  readonly slowToStart?: boolean
  start(setup: Setup, cores: readonly number[]): Promise<Server>
}
