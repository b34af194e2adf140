import { createHash } from 'node:crypto'
import type { ReplayCache } from '../replay-cache.ts'
import { text } from './object-rows.ts'
import type { SqlDatabase } from './sql-database.ts'

type Use = {
  readonly row: { client_id: string; jti_sha256: string; expires_at: string }
  readonly settle: (outcome: Promise<boolean>) => void
}

const usesPerTransaction = 500

/** Used assertions in a database: those that come while one transaction runs share the next. */
export class SqlReplayCache implements ReplayCache {
  readonly #database: SqlDatabase
  #waiting: Use[] = []
  #writing = false

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  spend(clientId: string, jti: string, expiresAt: Date): Promise<boolean> {
    return new Promise((settle) => {
      // A jti is as long as its client likes; its digest is not.
      const jti_sha256 = createHash('sha256').update(jti).digest('base64')
      const row = { client_id: clientId, jti_sha256, expires_at: text(expiresAt) }
      this.#waiting.push({ row, settle })
      if (!this.#writing) void this.#writeAll()
    })
  }

  /** Forgets assertions that have expired: nobody accepts them any more. */
  async forgetExpired(now: Date): Promise<void> {
    await this.#database.write((db) =>
      db.deleteFrom('spent_assertion').where('expires_at', '<', text(now)).execute(),
    )
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#waiting.length > 0) {
      const uses = this.#waiting.splice(0, usesPerTransaction)
      // Of several uses of one assertion at most one is good, whichever.
      const contenders = new Map(uses.map((use) => [nameOf(use.row), use]))
      // In one order everywhere, so that two replicas never wait for each other.
      const inOrder = [...contenders].sort(([a], [b]) => (a < b ? -1 : 1))
      const written = this.#insert(inOrder.map(([, { row }]) => row))
      for (const use of uses) {
        const contends = contenders.get(nameOf(use.row)) === use
        use.settle(written.then((won) => contends && won.has(nameOf(use.row))))
      }
      await written.catch(() => undefined)
    }
    this.#writing = false
  }

  /** @returns the names of those that nobody had used before. */
  async #insert(rows: Use['row'][]): Promise<Set<string>> {
    const written = await this.#database.write((db) =>
      db
        .insertInto('spent_assertion')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning(['client_id', 'jti_sha256'])
        .execute(),
    )
    return new Set(written.map(nameOf))
  }
}

const nameOf = ({ client_id, jti_sha256 }: { client_id: string; jti_sha256: string }) =>
  `${client_id} ${jti_sha256}`
