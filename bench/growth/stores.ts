import { copyFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openUnchecked } from '../../packages/directory/src/storage/sqlite/sqlite-connection.ts'
import { sqliteDatabase } from '../../packages/directory/src/storage/sqlite/sqlite-database.ts'
import {
  openStorage,
  type Storage,
  type StorageOptions,
  sqlStorage,
} from '../../packages/directory/src/storage/storage.ts'
import { PostgresServer } from '../../test/fixtures/postgres-server.ts'
import { seedStore } from './seed.ts'

export type StoreKind = 'sqlite' | 'postgresql'

/** A store that one case may change. It is removed when the case ends. */
export type Store = AsyncDisposable & {
  /** `DATA_DIR` of the identity provider. */
  readonly dataDir: string
  /** Further settings that select the store. */
  readonly settings: Readonly<Record<string, string>>
}

const fileName = 'greeting.sqlite'

/** The default of PostgreSQL. */
const postgresBufferMb = 128

/** Makes stores. Each content is seeded once in a run; each case gets its own copy. */
export class Stores {
  readonly #folder: string
  readonly #kind: StoreKind
  readonly #templates = new Map<string, Promise<string>>()
  #postgres: Promise<PostgresServer> | undefined

  constructor(folder: string, kind: StoreKind) {
    this.#folder = folder
    this.#kind = kind
  }

  /**
   * A store with this content; without applications it has no tenant either.
   *
   * @param fill adds more content
   */
  async copyOf(
    applications: number,
    audit: number,
    fill?: (storage: Storage) => Promise<void>,
  ): Promise<Store> {
    const dataDir = await mkdtemp(join(this.#folder, 'store-'))
    const isEmpty = applications === 0 && audit === 0
    const template = isEmpty ? undefined : await this.#template(applications, audit)
    const databaseUrl =
      this.#kind === 'sqlite' ? undefined : await (await this.#server()).database(template)
    if (databaseUrl === undefined && template !== undefined)
      await copyToDisk(join(template, fileName), join(dataDir, fileName))
    if (fill) await filled({ dataDir, databaseUrl }, fill)
    return {
      dataDir,
      settings: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
      [Symbol.asyncDispose]: async () => {
        if (databaseUrl !== undefined)
          await (await this.#server()).query(
            `drop database ${databaseNameOf(databaseUrl)} with (force)`,
          )
        await rm(dataDir, { recursive: true, force: true })
      },
    }
  }

  async stop(): Promise<void> {
    await (await this.#postgres)?.stop()
  }

  #server(): Promise<PostgresServer> {
    this.#postgres ??= PostgresServer.start(postgresBufferMb)
    return this.#postgres
  }

  /** The data folder or the database that holds a content. */
  #template(applications: number, audit: number): Promise<string> {
    const name = `${applications}-${audit}`
    const template = this.#templates.get(name) ?? this.#seed(applications, audit)
    this.#templates.set(name, template)
    return template
  }

  async #seed(applications: number, audit: number): Promise<string> {
    console.error(`seeding ${applications} applications and ${audit} audit records`)
    const dataDir = join(this.#folder, `template-${applications}-${audit}`)
    await mkdir(dataDir, { recursive: true })
    const server = this.#kind === 'sqlite' ? undefined : await this.#server()
    const databaseUrl = await server?.database()
    await filled({ dataDir, databaseUrl }, (storage) => seedStore(storage, applications, audit))
    if (server === undefined || databaseUrl === undefined) return dataDir
    // Otherwise PostgreSQL would count and write the seeded rows while a case measures.
    await server.query('vacuum (analyze)', databaseNameOf(databaseUrl))
    await server.query('checkpoint')
    return databaseUrl
  }
}

const databaseNameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1)

/** Without the last step, the first write of a case would wait for the disk to take the whole copy. */
async function copyToDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const copy = await open(to)
  await copy.sync()
  await copy.close()
}

/** Opens a store, fills it, and closes it. */
async function filled(options: StorageOptions, fill: (storage: Storage) => Promise<void>) {
  const storage = await openForSeeding(options)
  await fill(storage).finally(() => storage.close())
}

/**
 * Opens a store to fill it. The product makes the data file or the tables first.
 *
 * SQLite then works in this thread, and does not wait for the disk. A message to another thread takes
 * longer than most statements, and a store of a bench need not survive a power cut. Up to 2 GB of pages stay
 * in memory: with a million applications, each row changes pages all over the indexes.
 */
async function openForSeeding(options: StorageOptions): Promise<Storage> {
  const storage = await openStorage(options)
  if (options.databaseUrl !== undefined) return storage
  await storage.close()
  const path = join(options.dataDir, fileName)
  const connection = openUnchecked(path)
  connection.exec(
    'pragma synchronous = off; pragma cache_size = -2000000; pragma wal_autocheckpoint = 100000',
  )
  return sqlStorage(sqliteDatabase(connection, path), options.limits)
}

const recordsPerApplication = 10
const mostRecords = 1_000_000

/** The number of audit records in a store: ten for each application, and at most a million. */
export const auditRecordsOf = (applications: number): number =>
  Math.min(applications * recordsPerApplication, mostRecords)
