/** Result codes that SQLite gives when the file, not the question, is at fault. */
const faults: Readonly<Record<number, string>> = {
  5: 'is locked by another process',
  6: 'is locked by another process',
  8: 'may not be written to',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged: restore it from a backup',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened',
  // The index of the log, in a file beside it, finds no room.
  4874: 'cannot grow: the disk is full',
  26: 'is not a database of this server, or damaged: restore it from a backup',
}

const busy = 5

/** SQLite's result code of an error, 0 for another kind of error. */
const resultCodeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0

/** The upper bits mostly only say more of the same. */
const primary = (code: number) => code & 0xff

/** Whether another process is writing just now. */
export const isBusy = (error: unknown): boolean => primary(resultCodeOf(error)) === busy

/** What is wrong with the file, undefined when nothing is. @see https://sqlite.org/rescode.html */
export function sqliteFaultOf(error: unknown): string | undefined {
  const code = resultCodeOf(error)
  // A file that was put in place while the server runs, such as an old backup.
  if (code === 1 && error instanceof Error && error.message.startsWith('no such table'))
    return 'has not the tables of this release: start the server again'
  return faults[code] ?? faults[primary(code)]
}
