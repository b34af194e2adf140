import type { Kysely, Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { StorageUnavailableError } from '../storage-unavailable-error.ts'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/** What is known of one kind of database. */
export type SqlDatabaseOptions = {
  readonly kysely: Kysely<Tables>
  /** Where questions are asked that write nothing; default `kysely`. */
  readonly readers?: Kysely<Tables>
  /** Closes what `kysely` and `readers` go through; default: they do. */
  readonly close?: () => void
  /**
   * One sentence for a fault of the database itself (away, full, locked, damaged), undefined for a
   * fault of who asked.
   */
  readonly faultOf: (error: unknown) => string | undefined
}

/** A database of any kind, asked through Kysely; when it cannot answer, it says so in one way. */
export class SqlDatabase {
  readonly #kysely: Kysely<Tables>
  readonly #readers: Kysely<Tables>
  readonly #close: () => void
  readonly #faultOf: (error: unknown) => string | undefined

  constructor({ kysely, readers = kysely, close = () => {}, faultOf }: SqlDatabaseOptions) {
    this.#kysely = kysely
    this.#readers = readers
    this.#close = close
    this.#faultOf = faultOf
  }

  /** Asks one question, and writes nothing. */
  ask<Answer>(question: (db: Kysely<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard(question(this.#readers))
  }

  /** Asks several questions about one and the same state of the database. */
  snapshot<Answer>(questions: (db: Transaction<Tables>) => Promise<Answer>): Promise<Answer> {
    return this.#guard(
      this.#readers
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(questions),
    )
  }

  /** Writes, whole or not at all. When it throws anything, nothing is written. */
  write<Result>(statements: (db: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#guard(this.#kysely.transaction().execute(statements))
  }

  /**
   * Brings the tables up to the present, by whoever comes first.
   *
   * @throws {StorageUnavailableError} storage_unavailable when they belong to a later release.
   */
  async migrate(): Promise<void> {
    const migrator = new Migrator({
      db: this.#kysely,
      provider: { getMigrations: async () => migrations },
    })
    const { error } = await this.#guard(migrator.migrateToLatest())
    if (error === undefined) return
    throw new StorageUnavailableError(
      this.#faultOf(error) ??
        `The tables of the store are not those of this release: ${(error as Error).message}`,
      { cause: error },
    )
  }

  async close(): Promise<void> {
    await this.#readers.destroy()
    await this.#kysely.destroy()
    this.#close()
  }

  async #guard<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (cause) {
      const sentence = this.#faultOf(cause)
      if (sentence === undefined) throw cause
      throw new StorageUnavailableError(sentence, { cause })
    }
  }
}
