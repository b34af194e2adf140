import { copyFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresServer } from '../../fixtures/postgres-server.ts'
import { openUnchecked } from '../../packages/directory/src/storage/sqlite/sqlite-connection.ts'
import { sqliteDatabase } from '../../packages/directory/src/storage/sqlite/sqlite-database.ts'
import {
  openStorage,
  type Storage,
  type StorageOptions,
  sqlStorage,
} from '../../packages/directory/src/storage/storage.ts'
import { seedStore } from './seed.ts'

export type StoreKind = 'sqlite' | 'postgresql'

/** A store that one case may change. */
export type Store = {
  /** `DATA_DIR` of the identity provider. */
  readonly dataDir: string
  /** Further settings that select the store. */
  readonly settings: Readonly<Record<string, string>>
  readonly databaseUrl: string | undefined
  remove(): Promise<void>
}

/** The seed of all stores. */
export const seed = 'growth'

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

  /** A store with this content; without applications it has no tenant either. */
  async copyOf(applications: number, audit: number): Promise<Store> {
    const dataDir = await mkdtemp(join(this.#folder, 'store-'))
    const remove = () => rm(dataDir, { recursive: true, force: true })
    const isEmpty = applications === 0 && audit === 0
    if (this.#kind === 'sqlite') {
      if (!isEmpty) {
        const template = await this.#template(applications, audit)
        await copyToDisk(join(template, fileName), join(dataDir, fileName))
      }
      return { dataDir, settings: {}, databaseUrl: undefined, remove }
    }
    const postgres = await this.#server()
    const template = isEmpty ? undefined : await this.#template(applications, audit)
    const databaseUrl = await postgres.database(template)
    const drop = async () => {
      await postgres.query(`drop database ${databaseNameOf(databaseUrl)} with (force)`)
      await remove()
    }
    return { dataDir, settings: { DATABASE_URL: databaseUrl }, databaseUrl, remove: drop }
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
    const isSqlite = this.#kind === 'sqlite'
    const databaseUrl = isSqlite ? undefined : await (await this.#server()).database()
    const storage = await openForSeeding({ dataDir, databaseUrl })
    try {
      await seedStore(storage, { seed, applications, audit, at: new Date() })
    } finally {
      await storage.close()
    }
    if (databaseUrl !== undefined) await settle(await this.#server(), databaseUrl)
    return databaseUrl ?? dataDir
  }
}

const databaseNameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1)

/** Without it, PostgreSQL would count and write the seeded rows while a case measures. */
async function settle(server: PostgresServer, databaseUrl: string): Promise<void> {
  await server.query('vacuum (analyze)', databaseNameOf(databaseUrl))
  await server.query('checkpoint')
}

/** Without the last step, the first write of a case would wait for the disk to take the whole copy. */
async function copyToDisk(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const copy = await open(to)
  await copy.sync()
  await copy.close()
}

/**
 * Opens a store to fill it. The product makes the data file or the tables first.
 *
 * SQLite then works in this thread, and does not wait for the disk. A message to another thread takes
 * longer than most statements, and a store of a bench need not survive a power cut. Up to 2 GB of pages stay
 * in memory: with a million applications, each row changes pages all over the indexes.
 */
export async function openForSeeding(options: StorageOptions): Promise<Storage> {
  const storage = await openStorage(options)
  if (options.databaseUrl !== undefined) return storage
  await storage.close()
  const path = join(options.dataDir, 'greeting.sqlite')
  const connection = openUnchecked(path)
  connection.exec(
    'pragma synchronous = off; pragma cache_size = -2000000; pragma wal_autocheckpoint = 100000',
  )
  return sqlStorage(sqliteDatabase(connection, path), options.limits)
}

const recordsPerApplication = 10
const mostRecords = 1_000_000

/** The audit records of a store: ten for each application, and a million at most. */
export const auditRecordsOf = (applications: number): number =>
  Math.min(applications * recordsPerApplication, mostRecords)
