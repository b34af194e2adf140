import { randomBytes } from 'node:crypto'

/** Where new objects take their ids, their secrets and their time from. */
export type Source = {
  readonly now: () => Date
  readonly newGuid: () => string
  readonly randomBytes: (length: number) => Uint8Array
}

/** The system's clock and generator. */
export const systemSource: Source = {
  now: () => new Date(),
  newGuid: () => crypto.randomUUID(),
  randomBytes,
}
