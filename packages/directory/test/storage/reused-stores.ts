import { after, afterEach, beforeEach } from 'node:test'
import { guid } from '../../../../test/fixtures/directory/sample.ts'
import { continueNumbers } from '../../src/storage/sql/directory/directory-commits.ts'
import { storedTables } from '../../src/storage/sql/rows/stored-tables.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { defaultStorageLimits, type Storage, sqlStorage } from '../../src/storage/storage.ts'
import type { FreshStorage } from './fresh-storage.ts'

/** Opens another connection to one file or database. */
type Connect = () => Promise<SqlDatabase>

/**
 * Empty stores for one test after another. When a test ends, its store is emptied for the next one,
 * because creating a store takes longer than most tests.
 */
export class ReusedStores {
  readonly #make: () => Promise<Connect>
  readonly #all: ReusedStore[] = []
  #empty: ReusedStore[] = []
  #ofSuite: ReusedStore[] = []
  #ofTest: ReusedStore[] = []

  /** @param make creates a file or a database with empty tables */
  constructor(make: () => Promise<Connect>) {
    this.#make = make
  }

  readonly fresh: FreshStorage = async () => {
    const store = this.#empty.pop() ?? (await this.#create())
    this.#ofTest.push(store)
    return store
  }

  /** In a suite: empties the stores of each test after it, and those of its `before` after the suite. */
  emptyAfterUse(): void {
    beforeEach(() => {
      this.#ofSuite.push(...this.#ofTest)
      this.#ofTest = []
    })
    afterEach(async () => {
      await this.#takeBack(this.#ofTest)
      this.#ofTest = []
    })
    after(async () => {
      await this.#takeBack(this.#ofSuite)
      this.#ofSuite = []
    })
  }

  async #takeBack(used: readonly ReusedStore[]): Promise<void> {
    await Promise.all(used.map((store) => store.empty()))
    this.#empty.push(...used)
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((store) => store.close()))
  }

  async #create(): Promise<ReusedStore> {
    const store = new ReusedStore(await this.#make())
    this.#all.push(store)
    return store
  }
}

class ReusedStore {
  readonly #connect: Connect
  readonly #used = new Set<SqlDatabase>()
  #unused: SqlDatabase[] = []

  constructor(connect: Connect) {
    this.#connect = connect
  }

  async open(): Promise<Storage> {
    const database = this.#unused.pop() ?? (await this.#connect())
    this.#used.add(database)
    const close = async () => {
      this.#used.delete(database)
      await database.close()
    }
    const counted = [guid(0x1000)]
    return { ...sqlStorage(database, defaultStorageLimits, undefined, counted), close }
  }

  async empty(): Promise<void> {
    this.#unused.push(...this.#used)
    this.#used.clear()
    const database = this.#unused[0] ?? (await this.#connect())
    this.#unused[0] = database
    await database.write(async (db) => {
      for (const { name } of storedTables.toReversed())
        if (name !== 'revision') await db.deleteFrom(name).execute()
      await db.deleteFrom('revision').where('log', '<>', 'signing-keys').execute()
      await db.updateTable('revision').set({ number: 0, mark: null }).execute()
      await continueNumbers(db)
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#unused, ...this.#used].map((database) => database.close()))
  }
}
