import type { AuditRecord } from '../../../audit/audit-record.ts'
import type { KeyEvent, KeyRing, KeyRingStore, SigningKey } from '../../../keys/key-ring-store.ts'
import { beginning, type Commit, type OnCommit } from '../../../live/commit.ts'
import { positionIn, takeNextRevision } from '../directory/revision-counter.ts'
import { insertAudit } from '../rows/audit-rows.ts'
import { text } from '../rows/object-rows.ts'
import type { SigningKeyRow } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** The key ring in a database. It stores and returns encrypted private keys. */
export class SqlKeyRingStore implements KeyRingStore {
  readonly #database: SqlDatabase
  readonly #onCommit: OnCommit

  constructor(database: SqlDatabase, onCommit: OnCommit = async () => undefined) {
    this.#database = database
    this.#onCommit = onCommit
  }

  read(known: Commit = beginning) {
    // One state of the database, so that the ring is the one of its revision.
    return this.#database.snapshot(async (db) => {
      const position = await positionIn(db, 'signing-keys', known)
      const rows = await db
        .selectFrom('signing_key')
        .selectAll()
        .orderBy('signs_from')
        .orderBy('kid')
        .execute()
      return { ...position, ring: rows.map(keyFromRow) }
    })
  }

  async commit(
    base: Commit,
    mark: string,
    ring: KeyRing,
    events: readonly KeyEvent[],
  ): Promise<'committed' | 'conflict'> {
    const outcome = await this.#database.write(async (db) => {
      if (!(await takeNextRevision(db, 'signing-keys', base, mark))) return 'conflict'
      await db.deleteFrom('signing_key').execute()
      if (ring.length > 0) await db.insertInto('signing_key').values(ring.map(keyToRow)).execute()
      await insertAudit(db, 'directory_audit', 'changes', events.map(keyEventRecord))
      return 'committed'
    })
    if (outcome === 'committed')
      await this.#onCommit('signing-keys', { revision: base.revision + 1, mark })
    return outcome
  }
}

const keyToRow = (key: SigningKey): SigningKeyRow => ({
  kid: key.kid,
  certificate: key.certificate,
  sealed_private_key: key.sealedPrivateKey,
  announced_at: text(key.announcedAt),
  signs_from: text(key.signsFrom),
  retired_at: key.retiredAt && text(key.retiredAt),
  longest_token_seconds: key.longestTokenSeconds,
})

const keyFromRow = (row: SigningKeyRow): SigningKey => ({
  kid: row.kid,
  certificate: row.certificate,
  sealedPrivateKey: row.sealed_private_key,
  announcedAt: new Date(row.announced_at),
  signsFrom: new Date(row.signs_from),
  retiredAt: row.retired_at === null ? null : new Date(row.retired_at),
  longestTokenSeconds: row.longest_token_seconds,
})

/** The audit record of a signing key event. */
export const keyEventRecord = ({
  at,
  actor,
  action,
  kid,
  correlationId,
}: KeyEvent): AuditRecord => ({
  at,
  tenantId: null,
  actor,
  action: `signingKey.${action}`,
  target: kid,
  outcome: 'done',
  reason: null,
  correlationId,
})
