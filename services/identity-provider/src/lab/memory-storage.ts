import { DatabaseSync } from 'node:sqlite'
import {
  type Storage,
  type StorageOptions,
  sqliteDatabase,
  sqlStorage,
} from '@greeting/directory/storage'

const name = ':memory:'

/** A store with empty tables. The migrations take 20 ms, and a test process starts many servers. */
let emptyStore: Uint8Array | undefined

/** Storage in memory, which can be brought back to a state: the same tables and queries as on a disk. */
export class MemoryStorage {
  #connection: DatabaseSync | undefined
  #snapshot: Uint8Array | undefined

  /** Opens the storage: empty at first, and later with the content of the snapshot. */
  open = async ({
    limits,
    countedTenants,
  }: Pick<StorageOptions, 'limits' | 'countedTenants'>): Promise<Storage> => {
    const connection = new DatabaseSync(name)
    this.#connection = connection
    const database = sqliteDatabase(connection, name)
    const content = this.#snapshot ?? emptyStore
    if (content !== undefined) connection.deserialize(content)
    else {
      await database.migrate()
      emptyStore = connection.serialize()
    }
    return sqlStorage(database, limits, undefined, countedTenants)
  }

  /** Keeps the current content for the next opening. */
  takeSnapshot(): void {
    this.#snapshot = this.#connection?.serialize()
  }
}
