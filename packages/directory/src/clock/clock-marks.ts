/** The times that a store without a clock keeps for the next start of a server. */
export type ClockMarks = {
  /** The latest agreed time. A clock that is before it is wrong, or it was. */
  readonly agreed: Date
  /** The start of a doubt that a server had when it stopped; null without one. */
  readonly doubtedSince: Date | null
}

export interface ClockMarkStore {
  /** The marks; undefined before the first start. */
  read(): Promise<ClockMarks | undefined>
  write(marks: ClockMarks): Promise<void>
}
