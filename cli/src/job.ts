import type { Connection } from './client/connection.ts'

/** What a job brought: for a person, and for a program. */
export type Outcome = { readonly text: string; readonly json: object }

/** Something that a client does once, or again and again. */
export type Job = {
  /** Its name in a line of a log. */
  readonly title: string
  readonly perform: (connection: Connection, signal?: AbortSignal) => Promise<Outcome>
}

/** What becomes of a job that a command line names. */
export type TakeJob<Options = object> = (job: Job, options: Options) => Promise<void>
