import { AgreedTime } from '../../src/clock/agreed-time.ts'

/** The gate of a clock that a test controls: each time of it is agreed. */
export const agreedNow =
  (now: () => Date = () => new Date()) =>
  async (): Promise<AgreedTime> =>
    new AgreedTime(now())
