import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

// https://www.sqlite.org/rescode.html#busy
const busy = 5

/**
 * A lock on a folder that one process at a time can hold. It is the operating system's lock of a
 * SQLite file. The lock ends with its process, so a remaining file does no harm.
 */
export class FolderLock {
  readonly #database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Takes the lock. Returns `undefined` when another process has it.
   *
   * @throws {Error} when the file cannot be created or locked.
   */
  static take(file: string): FolderLock | undefined {
    // Do not open an existing file: on POSIX, closing it would release a lock of this process.
    makeFile(file)
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('BEGIN EXCLUSIVE')
      return new FolderLock(database)
    } catch (error) {
      database.close()
      if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
      throw error
    }
  }

  release(): void {
    this.#database.close()
  }
}

function makeFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
