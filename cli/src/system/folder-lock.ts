import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

// https://www.sqlite.org/rescode.html#busy
const busy = 5

/**
 * A mark on a folder that one process at a time can hold. It is a lock of the system on a file, which
 * SQLite takes in the way of each system: it is gone with its process, however that ends, so the file
 * itself means nothing and is never in the way.
 */
export class FolderLock {
  readonly #database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Takes the lock, or returns nothing when another process has it.
   *
   * @throws {Error} when the file cannot be made or locked.
   */
  static take(file: string): FolderLock | undefined {
    // Never opened when it is there: on POSIX, closing it would let go of a lock that this process has.
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
