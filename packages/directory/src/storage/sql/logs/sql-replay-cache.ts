import { createHash } from 'node:crypto'
import type { ReplayCache } from '../../../audit/replay-cache.ts'
import type { AgreedTime } from '../../../clock/agreed-time.ts'
import { StorageUnavailableError } from '../../../live/storage-unavailable-error.ts'
import { text } from '../rows/object-rows.ts'
import type { SqlDatabase } from '../sql-database.ts'

type Use = {
  readonly row: { client_id: string; jti_sha256: string; expires_at: string }
  readonly settle: (outcome: Promise<boolean>) => void
}

const usesPerTransaction = 500
// Other writes wait for one part at most.
const rowsPerDeletion = 500

/** The used assertions in a database. Uses that arrive during one transaction share the next one. */
export class SqlReplayCache implements ReplayCache {
  readonly #database: SqlDatabase
  readonly #maxRecords: number
  #waiting: Use[] = []
  #writing = false
  #count: number | undefined

  /**
   * @param maxRecords the maximum number of unexpired assertions. Beyond it, each use fails: a used
   *   assertion is never forgotten before it expires. Other servers may exceed it for the time between
   *   two cleanups.
   */
  constructor(database: SqlDatabase, maxRecords: number) {
    this.#database = database
    this.#maxRecords = maxRecords
  }

  /** The assertions at the last count, and this server's assertions since; undefined before. */
  get count(): number | undefined {
    return this.#count
  }

  spend(clientId: string, jti: string, expiresAt: Date): Promise<boolean> {
    return new Promise((settle) => {
      const row = { client_id: clientId, jti_sha256: digestOf(jti), expires_at: text(expiresAt) }
      this.#waiting.push({ row, settle })
      if (!this.#writing) void this.#writeAll()
    })
  }

  async isSpent(clientId: string, jti: string): Promise<boolean> {
    const row = await this.#database.ask((db) =>
      db
        .selectFrom('spent_assertion')
        .select('client_id')
        .where('client_id', '=', clientId)
        .where('jti_sha256', '=', digestOf(jti))
        .executeTakeFirst(),
    )
    return row !== undefined
  }

  /** Deletes expired assertions, which are refused anyway. */
  async forgetExpired({ date }: AgreedTime): Promise<void> {
    for (;;) {
      const { numDeletedRows } = await this.#database.write((db) =>
        db
          .deleteFrom('spent_assertion')
          .where(({ eb, refTuple, selectFrom }) =>
            eb(
              refTuple('client_id', 'jti_sha256'),
              'in',
              selectFrom('spent_assertion')
                .select(['client_id', 'jti_sha256'])
                .where('expires_at', '<', text(date))
                .orderBy('expires_at')
                .limit(rowsPerDeletion)
                .$asTuple('client_id', 'jti_sha256'),
            ),
          )
          .executeTakeFirst(),
      )
      if (numDeletedRows < rowsPerDeletion) return
    }
  }

  /** Counts the assertions again, to include other servers' assertions and exclude deleted ones. */
  async recount(): Promise<void> {
    this.#count = await this.#countRecords()
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#waiting.length > 0) {
      const uses = this.#waiting.splice(0, usesPerTransaction)
      // Of several uses of one assertion, one may succeed.
      const contenders = new Map(uses.map((use) => [nameOf(use.row), use]))
      // All servers use the same order, so that they never wait for each other.
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

  /** @returns the names of the assertions that were not used before */
  async #insert(rows: Use['row'][]): Promise<Set<string>> {
    this.#count ??= await this.#countRecords()
    if (this.#count + rows.length > this.#maxRecords)
      throw new StorageUnavailableError(
        `The store has its maximum of ${this.#maxRecords} used assertions: raise MAX_USED_ASSERTIONS.`,
      )
    const written = await this.#database.write((db) =>
      db
        .insertInto('spent_assertion')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning(['client_id', 'jti_sha256'])
        .execute(),
    )
    this.#count += written.length
    return new Set(written.map(nameOf))
  }

  async #countRecords(): Promise<number> {
    const { records } = await this.#database.report((db) =>
      db
        .selectFrom(
          db
            .selectFrom('spent_assertion')
            .select('client_id')
            .limit(this.#maxRecords)
            .as('counted'),
        )
        .select(({ fn }) => fn.countAll().as('records'))
        .executeTakeFirstOrThrow(),
    )
    return Number(records)
  }
}

/** A client may send a jti of any length. Its digest has a fixed length. */
const digestOf = (jti: string) => createHash('sha256').update(jti).digest('base64')

const nameOf = ({ client_id, jti_sha256 }: { client_id: string; jti_sha256: string }) =>
  `${client_id} ${jti_sha256}`
