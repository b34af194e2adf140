import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { countTurns } from '../../../../../../test/fixtures/directory/event-loop-counter.ts'
import type { AuditRecord } from '../../../../src/audit/audit-record.ts'
import { recordedStatements } from '../../../../src/storage/sql/recorded-statements.ts'
import { insertAudit } from '../../../../src/storage/sql/rows/audit-rows.ts'

const sqlite = {
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
}

const record = (number: number): AuditRecord => ({
  at: new Date('2026-03-01T12:00:00Z'),
  tenantId: null,
  target: null,
  reason: null,
  actor: `${number}`,
  action: 'token.issue',
  outcome: 'done',
  correlationId: null,
})

describe('audit records in a database', () => {
  it('are written in order, with a turn of the event loop for other work after every 64 records', async () => {
    const counter = countTurns()
    const records = Array.from({ length: 200 }, (_, number) => record(number))
    const statements = await recordedStatements(sqlite, (db) =>
      insertAudit(db, 'sign_in_audit', 'signIns', records),
    )
    counter.stop()
    assert.equal(counter.turns, 3)
    const actors = statements.flatMap(({ parameters }) =>
      parameters.filter((_, index) => index % 11 === 3),
    )
    assert.deepEqual(
      actors,
      records.map(({ actor }) => actor),
    )
  })
})
