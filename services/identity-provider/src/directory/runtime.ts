import { randomBytes } from 'node:crypto'

/** Where new objects take their ids, their secrets and their time from. */
export type Runtime = {
  readonly now: () => Date
  readonly newGuid: () => string
  readonly randomBytes: (length: number) => Uint8Array
}

/** The system's clock and generator. */
export const systemRuntime: Runtime = {
  now: () => new Date(),
  newGuid: () => crypto.randomUUID(),
  randomBytes,
}
