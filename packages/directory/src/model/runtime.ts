import { randomBytes } from 'node:crypto'

/** The source of time, IDs and secrets for new objects. */
export type Runtime = {
  readonly now: () => Date
  readonly newGuid: () => string
  readonly randomBytes: (length: number) => Uint8Array
}

/** The clock and the random generator of the system. */
export const systemRuntime: Runtime = {
  now: () => new Date(),
  newGuid: () => crypto.randomUUID(),
  randomBytes,
}
