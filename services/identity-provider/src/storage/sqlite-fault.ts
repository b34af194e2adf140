/** Result codes that SQLite gives when the file, not the question, is at fault. */
const faults: Readonly<Record<number, string>> = {
  5: 'is locked by another process',
  6: 'is locked by another process',
  8: 'may not be written to',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged: restore it from a backup',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened',
  26: 'is not a database of this server, or damaged: restore it from a backup',
}

const busy = 5

/** SQLite's primary result code of an error, undefined for another kind of error. */
const resultCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? // The upper bits only say more of the same.
      error.errcode & 0xff
    : undefined

/** Whether another process is writing just now. */
export const isBusy = (error: unknown): boolean => resultCodeOf(error) === busy

/** What is wrong with the file, undefined when nothing is. @see https://sqlite.org/rescode.html */
export const sqliteFaultOf = (error: unknown): string | undefined =>
  faults[resultCodeOf(error) ?? 0]
