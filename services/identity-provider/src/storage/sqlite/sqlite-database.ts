import { randomUUID } from 'node:crypto'
import { access, constants, link, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import { SqlDatabase } from '../sql/sql-database.ts'
import type { Tables } from '../sql/tables.ts'
import { SqliteFile } from '../sqlite-file.ts'
import { StorageUnavailableError } from '../storage-unavailable-error.ts'
import { defaultPatienceMs, NodeSqliteDialect, type SqliteSource } from './sqlite-dialect.ts'
import { sqliteFaultOf } from './sqlite-fault.ts'

const ownerOnly = { file: 0o600, folder: 0o700 }

const pragmas = `
  pragma journal_mode = wal;
  -- What was acknowledged survives a power cut, not only a crash of the process.
  pragma synchronous = full;
  -- What was deleted, such as a revoked key, is overwritten.
  pragma secure_delete = on;
  pragma trusted_schema = off;
  -- SQLite waits by blocking the event loop, so only a moment: the dialect waits longer.
  pragma busy_timeout = 5;
`

/**
 * The database in a file of mode 0600, with its tables up to date; made when there is none, whole
 * or not at all. Several processes may use one file at the same time.
 *
 * @throws {StorageUnavailableError} storage_unavailable when the file cannot be used or is damaged:
 *   then it is left as it is.
 */
export async function openSqliteDatabase(path: string): Promise<SqlDatabase> {
  try {
    if (!(await exists(path))) await create(path)
    return await openFile(path)
  } catch (cause) {
    if (cause instanceof StorageUnavailableError) throw cause
    const fault = faultOf(path)(cause) ?? `The data file ${path} cannot be used: ${told(cause)}`
    throw new StorageUnavailableError(fault, { cause })
  }
}

async function openFile(path: string): Promise<SqlDatabase> {
  const { size } = await stat(path)
  // SQLite takes an empty file for a new database, and would begin anew where data was lost.
  if (size === 0) throw new StorageUnavailableError(`The data file ${path} ${damaged}.`)
  // SQLite would read on from a file that it may not write, and its log would not be writable later.
  await access(path, constants.W_OK).catch((cause) => {
    const sentence = `The data file ${path} may not be written to.`
    throw new StorageUnavailableError(sentence, { cause })
  })
  const writer = new SqliteFile(path, () => openConnection(path))
  try {
    await databaseOver(writer, path).migrate()
    const reader = new SqliteFile(path, (isReplacement) => openReader(path, isReplacement))
    return databaseOver(writer, path, { reader })
  } catch (cause) {
    writer.close()
    throw cause
  }
}

/** @param name the file that is named when this one is at fault */
function openConnection(path: string, name = path): DatabaseSync {
  const connection = openUnchecked(path)
  try {
    const [verdict] = Object.values(connection.prepare('pragma quick_check(1)').get() ?? {})
    if (verdict === 'ok') return connection
    throw new StorageUnavailableError(`The data file ${name} ${damaged}.`, { cause: verdict })
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/** A write waits for the writer of another process, and whoever reads must not wait behind it. */
function openReader(path: string, isReplacement: boolean): DatabaseSync {
  // At the start the writer has checked the file.
  const reader = isReplacement ? openConnection(path) : openUnchecked(path)
  reader.exec('pragma query_only = on')
  return reader
}

function openUnchecked(path: string): DatabaseSync {
  const connection = new DatabaseSync(existing(path))
  try {
    connection.exec(pragmas)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/** A file that SQLite is not to make. */
function existing(path: string): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return url
}

type Side = SqliteSource & { readonly close: () => void }

type Sides = {
  /** Another connection to the same file, for what writes nothing; default the only one. */
  readonly reader?: Side
  /** How long a write waits for the writer of another process. */
  readonly patienceMs?: number
}

/**
 * A database over a connection that is open, to a file that is never replaced.
 *
 * @param path the file that is named when it is at fault
 */
export const sqliteDatabase = (
  connection: DatabaseSync,
  path: string,
  options: Pick<Sides, 'patienceMs'> = {},
): SqlDatabase => {
  const close = () => {
    if (connection.isOpen) connection.close()
  }
  return databaseOver({ current: () => connection, close }, path, options)
}

function databaseOver(
  writer: Side,
  path: string,
  { reader, patienceMs = defaultPatienceMs }: Sides = {},
): SqlDatabase {
  const kyselyOver = (side: Side) =>
    new Kysely<Tables>({ dialect: new NodeSqliteDialect(side, patienceMs) })
  return new SqlDatabase({
    kysely: kyselyOver(writer),
    ...(reader && { readers: kyselyOver(reader) }),
    // Kysely leaves open what it was never asked to use.
    close: () => {
      reader?.close()
      writer.close()
    },
    faultOf: faultOf(path),
  })
}

async function create(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: ownerOnly.folder })
  const draft = `${path}.${randomUUID()}`
  try {
    await (await open(draft, 'wx', ownerOnly.file)).close()
    const connection = openConnection(draft, path)
    const database = sqliteDatabase(connection, path)
    try {
      await database.migrate()
      bringLogIntoFile(connection)
    } finally {
      await database.close()
    }
    // `link` does not replace the file of a process that was faster.
    await link(draft, path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    })
  } finally {
    await Promise.all(['', '-wal', '-shm'].map((part) => rm(`${draft}${part}`, { force: true })))
  }
}

/** What is linked must be whole without its log; closing says nothing when that does not succeed. */
function bringLogIntoFile(connection: DatabaseSync): void {
  const { busy } = connection.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
  if (busy !== 0) throw new TypeError('A draft that only one process knows of is not busy.')
}

const damaged = 'is damaged: restore it from a backup. It was left as it is'

const faultOf = (path: string) => (error: unknown) => {
  const fault = sqliteFaultOf(error)
  return fault && `The data file ${path} ${fault}.`
}

const told = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const exists = (path: string) =>
  stat(path).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return false
      throw cause
    },
  )
