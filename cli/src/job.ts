import type { Connection } from './client/connection.ts'

/** The result of a job, for a person and for a program. */
export type Outcome = { readonly text: string; readonly json: object }

/** A request that a client makes once or repeatedly. */
export type Job = {
  /** Its name in a log line. */
  readonly title: string
  readonly perform: (connection: Connection, signal?: AbortSignal) => Promise<Outcome>
}

/** Receives the job that a command line describes. */
export type TakeJob<Options = object> = (job: Job, options: Options) => Promise<void>
