import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import {
  rowsOfTenant,
  type SqlDatabase,
  type StoredTable,
  storedTables,
  type Tables,
} from '@greeting/directory/database'
import { makeFolder } from '@greeting/directory/files'
import { type Kysely, sql } from 'kysely'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { BackupError } from './backup-error.ts'
import {
  type BackupManifest,
  manifestFormat,
  manifestName,
  manifestText,
  sealedKeyName,
  tableFile,
} from './backup-manifest.ts'
import { appliedMigrations } from './store-source.ts'

type Row = Readonly<Record<string, string | number | null>>

export type BackupOptions = {
  readonly database: SqlDatabase
  readonly store: BackupManifest['store']
  /** The folder of the backup. It must not exist. */
  readonly folder: string
  /** The key-encryption key, already encrypted with a passphrase; undefined to leave it out. */
  readonly sealedKey?: string | undefined
  /** The tenant whose objects are written; undefined for the whole store. */
  readonly tenantId?: string | undefined
  readonly now: Date
  readonly onTable: (name: string, rows: number) => void
}

const pageRows = 2000
const ownerOnly = 0o600

/**
 * Writes all tables as of one moment into a new folder, with a manifest. Servers may write during
 * this time. The folder gets its final name when it is complete.
 *
 * @throws {BackupError} backup_exists when the folder exists; tenant_unknown
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { folder } = options
  await requireAbsent(folder)
  const draft = `${folder}.${crypto.randomUUID()}`
  await makeFolder(draft)
  try {
    const manifest = await writeFiles(options, draft)
    await requireAbsent(folder)
    await rename(draft, folder)
    return manifest
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function writeFiles(
  { database, store, sealedKey, tenantId, now, onTable }: BackupOptions,
  draft: string,
): Promise<BackupManifest> {
  const migrations = await appliedMigrations(database)
  const present = await database.ask((db) => db.introspection.getTables())
  const names = new Set(present.map(({ name }) => name))
  const manifest = await database.snapshot(async (db): Promise<BackupManifest> => {
    const tables: BackupManifest['tables'] = []
    const isWritten = ({ name, tenant }: StoredTable) =>
      names.has(name) && (tenantId === undefined || tenant !== undefined)
    for (const table of storedTables.filter(isWritten)) {
      const pages = tenantId === undefined ? pagesOf(db, table) : pagesOfTenant(db, table, tenantId)
      const written = await writeTable(pages, join(draft, tableFile(table.name)))
      if (table.name === 'tenant' && tenantId !== undefined && written.rows === 0)
        throw new BackupError('tenant_unknown', `the store has no tenant ${tenantId}`)
      tables.push({ name: table.name, ...written })
      onTable(table.name, written.rows)
    }
    const revisions = await db
      .selectFrom('commit_mark')
      .select(({ fn }) => ['log', fn.max('revision').as('number')])
      .groupBy('log')
      .execute()
    const key =
      tenantId === undefined
        ? await db.selectFrom('signing_key').select('sealed_private_key').executeTakeFirst()
        : undefined
    return {
      format: manifestFormat,
      createdAt: now.toISOString(),
      store,
      ...(tenantId !== undefined && { tenantId }),
      migrations,
      revisions: Object.fromEntries(revisions.map(({ log, number }) => [log, number])),
      keyEncryptionKeyId: key === undefined ? null : KeyEncryptionKey.idOf(key.sealed_private_key),
      sealedKeySha256:
        sealedKey === undefined ? null : createHash('sha256').update(sealedKey).digest('hex'),
      tables,
    }
  })
  if (sealedKey !== undefined)
    await writeFile(join(draft, sealedKeyName), sealedKey, { mode: ownerOnly, flush: true })
  const text = manifestText(manifest)
  await writeFile(join(draft, manifestName), text, { mode: ownerOnly, flush: true })
  return manifest
}

async function writeTable(pages: AsyncIterable<readonly Row[]>, path: string) {
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  const lines = async function* () {
    for await (const page of pages) {
      rows += page.length
      yield page.map((row) => `${JSON.stringify(row)}\n`).join('')
    }
  }
  const measured = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const file = createWriteStream(path, { mode: ownerOnly, flush: true })
  await pipeline(Readable.from(lines()), createGzip(), measured, file)
  return { rows, bytes, sha256: hash.digest('hex') }
}

/** The rows of a table in pages, in the order of its key. */
async function* pagesOf(db: Kysely<Tables>, { name, key }: StoredTable) {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  let last: Row | undefined
  for (;;) {
    const after = sql.join(key.map((column) => sql.val(last?.[column])))
    const where = last === undefined ? sql`` : sql`where (${columns}) > (${after})`
    const { rows } = await sql<Row>`
      select * from ${sql.table(name)} ${where} order by ${columns} limit ${sql.lit(pageRows)}
    `.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    last = rows.at(-1)
  }
}

async function* pagesOfTenant(db: Kysely<Tables>, table: StoredTable, tenantId: string) {
  const { rows } = await rowsOfTenant<Row>(table, tenantId).execute(db)
  for (let start = 0; start < rows.length; start += pageRows)
    yield rows.slice(start, start + pageRows)
}

async function requireAbsent(folder: string): Promise<void> {
  const isThere = await stat(folder).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return false
      throw cause
    },
  )
  if (isThere) throw new BackupError('backup_exists', `${folder} exists, and is not overwritten`)
}
