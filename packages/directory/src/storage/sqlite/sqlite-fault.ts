const busy = 5
/** The index of the log is a separate file. */
const noRoomForIndex = 4874
const full: ReadonlySet<number> = new Set([13, noRoomForIndex])

/** Result codes of SQLite for which the file, not the query, is at fault. */
const faults: Readonly<Record<number, string>> = {
  5: 'is locked by another process',
  6: 'is locked by another process',
  8: 'may not be written to',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged: restore it from a backup',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened',
  [noRoomForIndex]: 'cannot grow: the disk is full',
  26: 'is not a database of this server, or damaged: restore it from a backup',
}

const damaged: ReadonlySet<number> = new Set([11, 26])

/** The result code of SQLite in an error; 0 in another kind of error. */
const resultCodeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0

/** The upper bits of a result code add detail only. */
const primary = (code: number) => code & 0xff

/** True if an error says that another process is writing. */
export const isBusy = (error: unknown): boolean => primary(resultCodeOf(error)) === busy

/** True if an error says that the file is damaged. */
export const isDamage = (error: unknown): boolean => damaged.has(primary(resultCodeOf(error)))

/** True if an error says that the disk is full. */
export const isFull = (error: unknown): boolean => full.has(resultCodeOf(error))

/** The fault of the file; undefined if the error has another cause. */
export function sqliteFaultOf(error: unknown): string | undefined {
  const code = resultCodeOf(error)
  // A file that replaced the data file while the server runs, such as an old backup.
  if (code === 1 && error instanceof Error && error.message.startsWith('no such table'))
    return 'does not have the tables of this release: start the server again'
  return faults[code] ?? faults[primary(code)]
}
