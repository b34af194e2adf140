import type { Kysely } from 'kysely'
import type { CredentialUses } from '../../../audit/credential-uses.ts'
import { credentialName } from '../../../model/application/credential.ts'
import { insertRows } from '../rows/insert-rows.ts'
import { text } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'

const rowsPerStatement = 500
const rowsPerWrite = 512
/** The parts that one cleanup checks, so that it stays short with many credentials. */
const partsPerCleanup = 20

export class SqlCredentialUses implements CredentialUses {
  readonly #database: SqlDatabase
  /** The name after which the next cleanup continues. */
  #checkedTo = ''
  #seen = 0
  #count: number | undefined

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  /** The uses that the last complete check kept; undefined before. */
  get count(): number | undefined {
    return this.#count
  }

  async record(uses: ReadonlyMap<string, Date>): Promise<void> {
    // All servers use the same order, so that they never wait for each other.
    const rows = [...uses]
      .map(([key_id, at]) => ({ key_id, last_used_at: text(at) }))
      .sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
    for (let start = 0; start < rows.length; start += rowsPerWrite) {
      const part = rows.slice(start, start + rowsPerWrite)
      await this.#database.write((db) => insertRows(db, 'credential_use', part, later(db)))
    }
  }

  async lastUses(names: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const uses = new Map<string, Date>()
    for (let start = 0; start < names.length; start += rowsPerStatement) {
      const some = names.slice(start, start + rowsPerStatement)
      const rows = await this.#database.ask((db) =>
        db.selectFrom('credential_use').selectAll().where('key_id', 'in', some).execute(),
      )
      for (const { key_id, last_used_at } of rows) uses.set(key_id, new Date(last_used_at))
    }
    return uses
  }

  /** Deletes the uses of credentials that were removed. One call checks up to 10,000 uses. */
  async forgetRemoved(): Promise<void> {
    for (let part = 0; part < partsPerCleanup; part += 1) {
      const names = await this.#database.report((db) => usesAfter(db, this.#checkedTo))
      // The credentials are read after their uses: a credential exists before its first use.
      const present = await this.#database.report((db) => credentialsOf(db, names))
      const removed = names.filter((name) => !present.has(name))
      if (removed.length > 0)
        await this.#database.write((db) =>
          db.deleteFrom('credential_use').where('key_id', 'in', removed).execute(),
        )
      this.#seen += names.length - removed.length
      this.#checkedTo = names.at(-1) ?? ''
      if (names.length === rowsPerStatement) continue
      this.#count = this.#seen
      this.#checkedTo = ''
      this.#seen = 0
      return
    }
  }
}

/** The insertion of uses, each unless a later one is known. */
const later = (db: Kysely<Tables>) => (rows: readonly Tables['credential_use'][]) =>
  db
    .insertInto('credential_use')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet((known) => ({ last_used_at: known.ref('excluded.last_used_at') }))
        .whereRef('excluded.last_used_at', '>', 'credential_use.last_used_at'),
    )

async function usesAfter(db: Kysely<Tables>, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('credential_use')
    .select('key_id')
    .where('key_id', '>', name)
    .orderBy('key_id')
    .limit(rowsPerStatement)
    .execute()
  return rows.map(({ key_id }) => key_id)
}

const storedIn = (row: {
  readonly application_id: string
  readonly password_credentials: string
  readonly key_credentials: string
}) =>
  [row.password_credentials, row.key_credentials]
    .flatMap((column): { readonly key_id: string }[] => JSON.parse(column))
    .map(({ key_id }) => ({ application_id: row.application_id, key_id }))

/** The names of all credentials of the applications of some names, and of their service principals. */
async function credentialsOf(
  db: Kysely<Tables>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(names.map((name) => name.split('/', 1)[0] ?? ''))]
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('password_credential')
    .select(['application_id', 'key_id'])
    .where('application_id', 'in', ids)
    .unionAll(
      db
        .selectFrom('key_credential')
        .select(['application_id', 'key_id'])
        .where('application_id', 'in', ids),
    )
    .unionAll(
      db
        .selectFrom('federated_identity_credential')
        .select(['application_id', 'id as key_id'])
        .where('application_id', 'in', ids),
    )
    .execute()
  const ofPrincipals = await db
    .selectFrom('service_principal')
    .innerJoin('application', 'application.app_id', 'service_principal.app_id')
    .select([
      'application.id as application_id',
      'service_principal.password_credentials',
      'service_principal.key_credentials',
    ])
    .where('application.id', 'in', ids)
    .where(({ or, eb }) =>
      or([
        eb('service_principal.password_credentials', '<>', '[]'),
        eb('service_principal.key_credentials', '<>', '[]'),
      ]),
    )
    .execute()
  return new Set(
    [...rows, ...ofPrincipals.flatMap(storedIn)].map(({ application_id, key_id }) =>
      credentialName({ id: application_id }, key_id),
    ),
  )
}
