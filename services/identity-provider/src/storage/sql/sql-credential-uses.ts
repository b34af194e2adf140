import type { CredentialUses } from '../credential-uses.ts'
import { text } from './object-rows.ts'
import type { SqlDatabase } from './sql-database.ts'

const rowsPerStatement = 500

/** Last uses of credentials in a database. */
export class SqlCredentialUses implements CredentialUses {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async record(uses: ReadonlyMap<string, Date>): Promise<void> {
    // In one order everywhere, so that two replicas never wait for each other.
    const rows = [...uses]
      .map(([key_id, at]) => ({ key_id, last_used_at: text(at) }))
      .sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      await this.#database.write((db) =>
        db
          .insertInto('credential_use')
          .values(rows.slice(start, start + rowsPerStatement))
          .onConflict((conflict) =>
            conflict
              .column('key_id')
              .doUpdateSet((known) => ({ last_used_at: known.ref('excluded.last_used_at') }))
              .whereRef('excluded.last_used_at', '>', 'credential_use.last_used_at'),
          )
          .execute(),
      )
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
}
