import { type BigIntStats, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import { isFrozen } from './sqlite-connection.ts'

type Identity = Pick<BigIntStats, 'dev' | 'ino'>

/** The suffixes of SQLite's files next to a data file. SQLite also uses them after the data file is replaced. */
export const companions = ['-wal', '-shm']

/**
 * A connection to the current file at a path. When another file replaces it, that file is opened.
 * Otherwise the connection would continue with the earlier file, which no other process sees.
 */
export class SqliteFile {
  readonly #path: string
  readonly #open: (isReplacement: boolean) => DatabaseSync
  #database: DatabaseSync
  #identity: Identity | undefined
  #companions: ReadonlyMap<string, Identity | undefined> = new Map()

  /** @param open opens the current file, and reads from it */
  constructor(path: string, open: (isReplacement: boolean) => DatabaseSync) {
    this.#path = path
    this.#open = open
    this.#database = this.#openFile(false)
  }

  /**
   * Returns the connection for one statement or one transaction.
   *
   * @throws {StorageUnavailableError} storage_unavailable when there is no file, or when files next to
   *   it belong to the file that it replaced
   */
  current(): DatabaseSync {
    const present = identityOf(this.#path)
    if (present === undefined)
      throw new StorageUnavailableError(`The data file ${this.#path} is gone.`)
    const isCurrent = isSame(present, this.#identity)
    if (isCurrent && !isFrozen(this.#database)) return this.#database
    if (!isCurrent) this.#requireFreshCompanions()
    // The earlier file is closed first: SQLite would share the index of the log between the two files.
    this.close()
    this.#identity = undefined
    this.#database = this.#openFile(!isCurrent)
    return this.#database
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  #openFile(isReplacement: boolean): DatabaseSync {
    const before = identityOf(this.#path)
    const database = this.#open(isReplacement)
    // The file was replaced in between. The next use opens it again.
    this.#identity = isSame(before, identityOf(this.#path)) ? before : undefined
    this.#companions = new Map(companions.map((name) => [name, identityOf(this.#path + name)]))
    return database
  }

  #requireFreshCompanions(): void {
    const left = companions.filter((name) => {
      const present = identityOf(this.#path + name)
      return present !== undefined && isSame(present, this.#companions.get(name))
    })
    if (left.length === 0) return
    const names = left.map((name) => `${this.#path}${name}`).join(' and ')
    throw new StorageUnavailableError(
      `The data file ${this.#path} was replaced, and ${names} still belong to the earlier one: remove them.`,
    )
  }
}

function identityOf(path: string): Identity | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (cause) {
    throw new StorageUnavailableError(`The data file ${path} cannot be read.`, { cause })
  }
}

const isSame = (one: Identity | undefined, other: Identity | undefined): boolean =>
  one !== undefined && one.dev === other?.dev && one.ino === other.ino
