import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, it } from 'node:test'
import { memoryDatabase } from '../../../../test/fixtures/directory/memory-database.ts'
import { application, guid, servicePrincipal } from '../../../../test/fixtures/directory/sample.ts'
import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type { AuditLane } from '../../src/audit/audit-trail.ts'
import { AgreedTime } from '../../src/clock/agreed-time.ts'
import { beginning } from '../../src/live/commit.ts'
import { credentialName } from '../../src/model/application/credential.ts'
import { put } from '../../src/model/directory-change.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { type Storage, sqlStorage } from '../../src/storage/storage.ts'

const limits = {
  directoryDays: 730,
  signInDays: 90,
  usedAssertions: 1200,
  records: { signIns: 1000, unauthenticated: 700, refusedChanges: 600 },
}
const now = new Date('2030-01-01T00:00:00Z')
const commitNumber = (revision: number) => ({ revision, mark: `mark ${revision}` })
const minute = (count: number) => new Date(now.getTime() + count * 60_000)

const records = (count: number): AuditRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    at: minute(n / 1000),
    tenantId: null,
    actor: 'a client',
    action: 'token.issue',
    target: `${n}`,
    outcome: 'refused',
    reason: 'scope_invalid',
    correlationId: null,
  }))

describe('a store that is filled beyond its limits', () => {
  let storage: Storage
  let side: DatabaseSync
  const count = (table: string) =>
    Number(side.prepare(`select count(*) as n from ${table}`).get()?.n)

  beforeEach(async () => {
    const made = await memoryDatabase()
    side = made.side
    storage = sqlStorage(made.database, limits)
  })

  for (const lane of ['signIns', 'unauthenticated', 'refusedChanges'] satisfies AuditLane[]) {
    it(`keeps the latest audit records of the lane ${lane}, and reports how many it has`, async () => {
      const max = limits.records[lane]
      assert.equal(storage.usage().auditRecords[lane], undefined)
      await storage.audit.append(lane, records(max + 1100))
      await storage.tidy(now, new AgreedTime(now))
      const table = lane === 'refusedChanges' ? 'directory_audit' : 'sign_in_audit'
      assert.equal(count(table), max)
      assert.equal(storage.usage().auditRecords[lane], max)
      // Up to 1 % more is accepted, so that the records are not counted at each cleanup.
      await storage.audit.append(lane, records(max / 100))
      await storage.tidy(now, new AgreedTime(now))
      assert.equal(count(table), max * 1.01)
      assert.equal(storage.usage().auditRecords[lane], max * 1.01)
      await storage.audit.append(lane, records(1))
      await storage.tidy(now, new AgreedTime(now))
      assert.equal(count(table), max)
    })
  }

  it("counts other servers' records again after a day", async () => {
    await storage.tidy(now, new AgreedTime(now))
    const other = sqlStorage(sqliteDatabase(side, ':memory:'), limits)
    await other.audit.append('signIns', records(1100))
    await storage.tidy(minute(60), new AgreedTime(minute(60)))
    assert.equal(count('sign_in_audit'), 1100)
    await storage.tidy(minute(24 * 60), new AgreedTime(minute(24 * 60)))
    assert.equal(count('sign_in_audit'), 1000)
  })

  it('refuses assertions above the limit, keeps every used assertion, and recovers (AS20)', async () => {
    const spend = (n: number) => storage.assertions.spend('client', `jti ${n}`, minute(10))
    const won = await Promise.all(Array.from({ length: limits.usedAssertions }, (_, n) => spend(n)))
    assert.ok(won.every(Boolean))
    const full = {
      code: 'storage_unavailable',
      message: 'The store has its maximum of 1200 used assertions: raise MAX_USED_ASSERTIONS.',
    }
    await assert.rejects(spend(limits.usedAssertions), full)
    await storage.tidy(minute(5), new AgreedTime(minute(5)))
    assert.equal(storage.usage().usedAssertions, limits.usedAssertions)
    await assert.rejects(spend(0), full, 'a used assertion is refused too')
    await storage.tidy(minute(11), new AgreedTime(minute(11)))
    assert.equal(count('spent_assertion'), 0)
    assert.equal(storage.usage().usedAssertions, 0)
    assert.equal(await spend(limits.usedAssertions), true)
  })

  it('remembers the limit of assertions after a restart', async () => {
    const spend = (n: number) => storage.assertions.spend('client', `jti ${n}`, minute(10))
    await Promise.all(Array.from({ length: limits.usedAssertions }, (_, n) => spend(n)))
    storage = sqlStorage(sqliteDatabase(side, ':memory:'), limits)
    await assert.rejects(spend(limits.usedAssertions), { code: 'storage_unavailable' })
  })

  it('deletes the uses of removed credentials, in several cleanups if there are many', async () => {
    const kept = application({
      passwordCredentials: [
        {
          keyId: guid(7),
          displayName: null,
          hint: 'abc',
          startDateTime: now,
          endDateTime: now,
          secretSha256: new Uint8Array(32),
        },
      ],
      federatedIdentityCredentials: [
        {
          id: guid(8),
          name: 'ci',
          description: null,
          issuer: 'https://ci.example',
          subject: 's',
          audiences: ['a'],
        },
      ],
    })
    const principal = servicePrincipal({
      appId: kept.appId,
      keyCredentials: [
        {
          keyId: guid(9),
          displayName: null,
          startDateTime: now,
          endDateTime: now,
          certificate: new Uint8Array(1),
          sha1Thumbprint: 'a',
          sha256Thumbprint: 'b',
        },
      ],
    })
    const changes = [put('application', kept), put('servicePrincipal', principal)]
    await storage.directory.commit(beginning, 'first', changes, [])
    const present = [guid(7), guid(8), guid(9)].map((id) => credentialName(kept, id))
    const removed = Array.from({ length: 10_600 }, (_, n) =>
      credentialName({ id: guid(n) }, 'gone'),
    )
    await storage.credentialUses.record(
      new Map([...present, ...removed].map((name) => [name, now])),
    )
    await storage.tidy(now, new AgreedTime(now))
    assert.equal(count('credential_use'), 606, 'one cleanup checks 10,000, and keeps three of them')
    assert.equal(storage.usage().credentialUses, undefined)
    await storage.tidy(now, new AgreedTime(now))
    assert.equal(storage.usage().credentialUses, 3)
    assert.deepEqual(
      [...(await storage.credentialUses.lastUses(present)).keys()].sort(),
      present.sort(),
    )
    assert.equal(count('credential_use'), 3)
  })

  it('keeps 100,000 commit marks, and the removals that clients or replicas still need', async () => {
    const revisions = (last: number) =>
      `with recursive n(i) as (select 1 union all select i + 1 from n limit ${last}) select`
    side.exec(`
      insert into commit_mark ${revisions(120_000)} 'directory', i, 'mark ' || i from n;
      insert into removed_object (kind, id, revision)
        ${revisions(12_500)} 'appRoleAssignment', 'object ' || i, 107500 + i from n;
      insert into removed_object (kind, id, revision)
        ${revisions(2500)} 'application', 'object ' || i, 18750 + i from n;
    `)
    await storage.tidy(now, new AgreedTime(now))
    assert.equal(count('removed_object'), 10_000 + 1250)
    assert.equal(count('commit_mark'), 100_000)
    assert.equal((await storage.directory.changesAfter(commitNumber(20_000))).hasKnown, false)
    assert.equal((await storage.directory.changesAfter(commitNumber(119_999))).hasKnown, true)
  })

  it('reports its size in bytes', async () => {
    assert.equal(storage.usage().bytes, undefined)
    await storage.tidy(now, new AgreedTime(now))
    assert.ok((storage.usage().bytes ?? 0) > 100_000)
  })
})
