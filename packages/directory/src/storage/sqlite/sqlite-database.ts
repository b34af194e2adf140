// Folder: One SQLite file: its connections in threads, its faults and its checks.

import { access, constants, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import type { Tables } from '../sql/rows/tables.ts'
import { SqlDatabase } from '../sql/sql-database.ts'
import { removeAbandonedDrafts } from './abandoned-drafts.ts'
import { createFile } from './create-file.ts'
import type { SqliteChannel } from './sqlite-channel.ts'
import { maxBytesCheckedAtOpen } from './sqlite-connection.ts'
import { defaultMaxWaitMs, nodeSqliteDialect, untilUnlocked } from './sqlite-dialect.ts'
import { isDamage, isFull, sqliteFaultOf } from './sqlite-fault.ts'
import { type NewWorker, SqliteThread } from './sqlite-thread.ts'
import { localChannel, StatementRunner } from './statement-runner.ts'

export type SqliteOptions = {
  /**
   * How many questions with lookups are answered query by query, default 50. Then a thread loads Kysely,
   * and answers each question in one step. Loading takes 0.2 s of processor time, which a process with few
   * questions would lose at its start.
   */
  readonly oneStepAfter?: number
  /** Starts the thread of a connection; default a worker thread of Node. */
  readonly newWorker?: NewWorker | undefined
}

/**
 * Opens the database in a file of mode 0600, with current tables. A missing file is created,
 * completely or not at all. Several processes may use one file at the same time.
 *
 * Each connection has a separate thread, so that no statement stops the thread that issues tokens.
 *
 * @throws {StorageUnavailableError} storage_unavailable when the file cannot be used or is damaged;
 * it is then left as it is
 */
export async function openSqliteDatabase(
  path: string,
  { oneStepAfter = 50, newWorker }: SqliteOptions = {},
): Promise<SqlDatabase> {
  const newReader = () => new SqliteThread({ path, role: 'reader' }, newWorker)
  const threads = {
    writer: new SqliteThread({ path, role: 'writer' }, newWorker),
    // A write waits for the writer of another process. Reads do not wait behind it.
    reader: newReader(),
    // It answers questions in one step. While it starts, the questions go to the reader.
    follower: newReader(),
    // A long query of an operator delays no short query. The thread starts with the first of them in a
    // large file, and ends without any: it takes 14 MB, and 0.2 s.
    reports: new SqliteThread({ path, role: 'reader' }, newWorker, maxIdleReportsMs),
  }
  try {
    threads.writer.start()
    threads.reader.start()
    if (await exists(path)) await removeAbandonedDrafts(path)
    else await createFile(path, (draft) => sqliteDatabase(draft, path))
    return await openFile(path, threads, { oneStepAfter, newReader })
  } catch (cause) {
    await Promise.all(Object.values(threads).map((thread) => thread.close()))
    if (cause instanceof StorageUnavailableError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    const fault = faultOf(path)(cause) ?? `The data file ${path} cannot be used: ${reason}`
    throw new StorageUnavailableError(fault, { cause })
  }
}

const maxIdleReportsMs = 30_000

/** The maximum size of a file in which each operator query is short. */
export const maxBytesOfShortQueries = 4 * 1024 * 1024

type Threads = Readonly<Record<'writer' | 'reader' | 'follower' | 'reports', SqliteThread>>

async function openFile(
  path: string,
  threads: Threads,
  {
    oneStepAfter,
    newReader,
  }: { readonly oneStepAfter: number; readonly newReader: () => SqliteThread },
): Promise<SqlDatabase> {
  const { size } = await stat(path)
  // For SQLite an empty file is a new database. Here it is a file that lost its data.
  if (size === 0)
    throw new StorageUnavailableError(
      `The data file ${path} has 0 bytes, so its data is lost: move it away, then restore a backup.`,
    )
  // SQLite would read a file without the right to write it, and fail later.
  await access(path, constants.W_OK).catch((cause) => {
    const sentence = `The data file ${path} may not be written to.`
    throw new StorageUnavailableError(sentence, { cause })
  })
  let check: BackgroundCheck | undefined
  const database = databaseOver(path, threads, {
    oneStepAfter,
    beforeClose: () => check?.stop(),
  })
  await database.migrate().catch(async (cause) => {
    // On a full disk, a server whose tables are current issues tokens.
    const isOnFullDisk = cause instanceof Error && isFull(cause.cause)
    if (!(isOnFullDisk && (await database.isMigrated()))) throw cause
  })
  check = checkInBackground(path, newReader, (cause) => {
    const sentence = `The data file ${path} is damaged: restore it from a backup, and start the server again.`
    for (const thread of Object.values(threads)) thread.refuse(sentence, cause)
  })
  return database
}

/**
 * Returns a database over an open connection to a file that is never replaced. Its statements run in this thread.
 *
 * @param path the file that error messages name
 * @param options `maxWaitMs`: the time that a write waits for the writer of another process
 */
export const sqliteDatabase = (
  connection: DatabaseSync,
  path: string,
  { maxWaitMs = defaultMaxWaitMs }: { readonly maxWaitMs?: number } = {},
): SqlDatabase => {
  const close = () => {
    if (connection.isOpen) connection.close()
  }
  const writer = localChannel(new StatementRunner({ current: () => connection, close }))
  return databaseOver(path, { writer }, { maxWaitMs })
}

type Channels = {
  readonly writer: SqliteChannel
  readonly reader?: SqliteChannel
  readonly follower?: SqliteThread
  readonly reports?: SqliteChannel
}

function databaseOver(
  path: string,
  { writer, reader, follower, reports }: Channels,
  {
    maxWaitMs = defaultMaxWaitMs,
    oneStepAfter = 0,
    beforeClose,
  }: {
    readonly maxWaitMs?: number
    readonly oneStepAfter?: number
    readonly beforeClose?: () => void
  } = {},
): SqlDatabase {
  const dialectOver = (channel: SqliteChannel) => nodeSqliteDialect(channel, maxWaitMs)
  const kyselyOver = (channel: SqliteChannel) =>
    new Kysely<Tables>({ dialect: dialectOver(channel) })
  const dialect = dialectOver(writer)
  const kysely = new Kysely<Tables>({ dialect })
  return new SqlDatabase({
    kysely,
    dialect,
    runBatch: (statements, decisive) =>
      // The connection is free: a batch must not become a part of another transaction.
      kysely.connection().execute(async () => {
        const batch = statements.map(({ sql, parameters }) => ({ sql, parameters }))
        const { changes, columns, rows } = await untilUnlocked(maxWaitMs, () =>
          writer.executeBatch({ batch, decisive }),
        )
        if (changes === 0) return undefined
        return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
      }),
    ...(reader && { readers: kyselyOver(reader) }),
    ...(follower && {
      changesInOneStep: (question) => follower.changes(question),
      oneStepAfter,
    }),
    ...(reports && {
      reports: kyselyOver(reports),
      isLarge: async () => (await stat(path)).size > maxBytesOfShortQueries,
    }),
    bytesQuery:
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    close: async () => {
      beforeClose?.()
      // The writer is last: the last connection removes the log.
      for (const channel of [reports, follower, reader, writer]) await channel?.close()
    },
    faultOf: faultOf(path),
  })
}

const faultOf = (path: string) => (error: unknown) => {
  const fault = sqliteFaultOf(error)
  return fault && `The data file ${path} ${fault}.`
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return false
      throw cause
    },
  )

/** A running check of a data file. */
type BackgroundCheck = {
  /** Ends the check before its next table. */
  readonly stop: () => void
  /** Resolves when the thread of the check has ended. Never rejects. */
  readonly done: Promise<void>
}

/**
 * Checks every table of a file that is too large for a check when it is opened, in a thread that
 * ends with the check. A file with a million audit records takes seconds.
 *
 * @param openThread opens a thread with a connection to the file
 * @param onFault receives the first fault
 */
function checkInBackground(
  path: string,
  openThread: () => SqliteChannel,
  onFault: (fault: unknown) => void,
): BackgroundCheck {
  let isStopped = false
  const check = async () => {
    if ((await stat(path)).size <= maxBytesCheckedAtOpen) return
    const thread = openThread()
    const query = async (sql: string) =>
      (await thread.execute({ sql, parameters: [], isInTransaction: false })).rows.map(
        ([one]) => one,
      )
    try {
      const tables = await query("select name from sqlite_schema where type = 'table'")
      for (const table of tables) {
        if (isStopped) return
        const [verdict] = await query(
          `pragma quick_check('${String(table).replaceAll("'", "''")}')`,
        )
        if (verdict !== 'ok') return onFault(verdict)
      }
    } finally {
      await thread.close()
    }
  }
  const stop = () => {
    isStopped = true
  }
  const done = check().catch((cause) => {
    // Other errors are no verdict: the statements of the service report a locked or replaced file.
    if (isDamage(cause)) onFault(cause)
  })
  return { stop, done }
}
