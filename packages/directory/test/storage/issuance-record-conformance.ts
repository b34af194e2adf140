import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type { AuditQuery } from '../../src/audit/audit-trail.ts'
import { AgreedTime } from '../../src/clock/agreed-time.ts'
import { beginning } from '../../src/live/commit.ts'
import { maxRecordsScanned } from '../../src/storage/sql/logs/find-audit.ts'
import type { FreshStorage } from './fresh-storage.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const minute = (count: number) => new Date(start + count * 60_000)
const dayMs = 86_400_000

const record = (part: Partial<AuditRecord> = {}): AuditRecord => ({
  at: minute(0),
  tenantId: 'a tenant',
  actor: 'a client',
  action: 'token.issue',
  target: 'an API',
  outcome: 'done',
  reason: null,
  correlationId: 'c-1',
  ...part,
})

/** Tests how a store keeps the records of token requests. */
export function issuanceRecordConformance(fresh: FreshStorage): void {
  it('permit only one of many uses of an assertion across several replicas', async () => {
    const store = await fresh()
    const replicas = [await store.open(), await store.open(), await store.open()]
    const spends = Array.from({ length: 90 }, (_, attempt) =>
      replicas[attempt % 3]?.assertions.spend('client', `jti ${attempt % 5}`, minute(10)),
    )
    const won = (await Promise.all(spends)).filter(Boolean)
    assert.equal(won.length, 5)
  })

  it('let replicas receive the same assertions in different orders without blocking', async () => {
    const store = await fresh()
    const replicas = [await store.open(), await store.open()]
    for (let round = 0; round < 5; round += 1) {
      const jtis = Array.from({ length: 400 }, (_, number) => `jti ${round}.${number}`)
      const spends = replicas.flatMap(({ assertions }, replica) =>
        (replica === 0 ? jtis : jtis.toReversed()).map((jti) =>
          assertions.spend('client', jti, minute(10)),
        ),
      )
      const won = (await Promise.all(spends)).filter(Boolean)
      assert.equal(won.length, jtis.length)
    }
  })

  it('inform every replica of used assertions until they have expired', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    assert.equal(await other.assertions.isSpent('client', 'jti'), false)
    await one.assertions.spend('client', 'jti', minute(10))
    assert.equal(await one.assertions.isSpent('client', 'jti'), true)
    assert.equal(await other.assertions.isSpent('client', 'jti'), true)
    assert.equal(await other.assertions.isSpent('another', 'jti'), false)
    assert.equal(await other.assertions.isSpent('client', 'another'), false)
    await one.tidy(minute(11), new AgreedTime(minute(11)))
    assert.equal(await other.assertions.isSpent('client', 'jti'), false)
  })

  it('distinguish assertions by client and by jti of any length and content', async () => {
    const { assertions } = await (await fresh()).open()
    const names = ['', '\0', 'a b', 'a', 'A', 'b c', '\u{1f44b}', 'x'.repeat(100_000)]
    for (const client of ['a', 'a b']) {
      for (const jti of names) {
        assert.equal(await assertions.spend(client, jti, minute(10)), true, `${client} ${jti}`)
        assert.equal(await assertions.spend(client, jti, minute(10)), false)
      }
    }
  })

  it('remember a used assertion after a restart, and delete it after its expiry', async () => {
    const store = await fresh()
    const before = await store.open()
    await before.assertions.spend('client', 'jti', minute(10))
    await before.close()
    const after = await store.open()
    await after.tidy(minute(10), new AgreedTime(minute(10)))
    assert.equal(await after.assertions.spend('client', 'jti', minute(10)), false)
    await after.tidy(minute(11), new AgreedTime(minute(11)))
    assert.equal(await after.assertions.spend('client', 'jti', minute(20)), true)
  })

  it('keep the latest use of a credential, whatever the order of the writes', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    await one.credentialUses.record(
      new Map([
        ['k1', minute(5)],
        ['k2', minute(1)],
      ]),
    )
    await other.credentialUses.record(
      new Map([
        ['k2', minute(2)],
        ['k1', minute(4)],
      ]),
    )
    assert.deepEqual(
      await one.credentialUses.lastUses(['k1', 'k2', 'k3']),
      new Map([
        ['k1', minute(5)],
        ['k2', minute(2)],
      ]),
    )
    assert.deepEqual(await one.credentialUses.lastUses([]), new Map())
  })

  it('are found by each of their members, the latest first', async () => {
    const { audit } = await (await fresh()).open()
    const records = [
      record({ actor: 'first' }),
      record({ at: minute(1), tenantId: null, target: null, blueprintId: 'a blueprint' }),
      record({ at: minute(2), outcome: 'refused', reason: 'secret_wrong', correlationId: 'c-2' }),
      record({ at: minute(3), action: 'token.look' }),
    ]
    await audit.append('signIns', records)
    for (const [query, found] of [
      [{}, [3, 2, 1, 0]],
      [{ tenantId: null }, [1]],
      [{ tenantId: 'a tenant' }, [3, 2, 0]],
      [{ actor: 'first' }, [0]],
      [{ action: 'token.look' }, [3]],
      [{ target: 'an API' }, [3, 2, 0]],
      [{ outcome: 'refused' }, [2]],
      [{ reason: 'secret_wrong', outcome: 'refused' }, [2]],
      [{ reason: 'secret_wrong', outcome: 'done' }, []],
      [{ correlationId: 'c-2' }, [2]],
      [{ from: minute(1), to: minute(3) }, [2, 1]],
      [{ actor: "' or 1 = 1 --" }, []],
      [{ exceptDone: ['token.issue'] }, [3, 2]],
      [{ exceptDone: ['token.issue'], actor: 'first' }, []],
      [{ exceptDone: ['token.look', 'other'], target: 'an API' }, [2, 0]],
      [{ id: '00000000-0000-7000-8000-000000000000' }, []],
    ] as const) {
      const page = await audit.find({ log: 'signIns', limit: 100, ...query })
      assert.deepEqual(
        page.records.map(({ id, ...said }) => said),
        found.map((index) => records[index]),
        JSON.stringify(query),
      )
    }
    assert.deepEqual(await audit.find({ log: 'directory', limit: 100 }), {
      records: [],
      next: null,
    })
    for (const one of (await audit.find({ log: 'signIns', limit: 100 })).records)
      assert.deepEqual(await audit.find({ log: 'signIns', id: one.id, limit: 1 }), {
        records: [one],
        next: null,
      })
  })

  it('are counted for each hour by their outcome, even for empty hours', async () => {
    const { audit } = await (await fresh()).open()
    await audit.append('signIns', [
      record({ at: new Date(start - 1) }),
      record({ at: minute(0) }),
      record({ at: new Date(start + 60 * 60_000 - 1), outcome: 'refused' }),
      record({ at: minute(0), action: 'portal.signIn', target: null }),
      record({ at: minute(0), action: 'portal.signIn', target: null, outcome: 'refused' }),
      record({ at: minute(120), target: null }),
      record({ at: minute(180) }),
    ])
    for (const [log, exceptDone, counts] of [
      ['signIns', [], ['2 done, 2 refused', '0 done, 0 refused', '1 done, 0 refused']],
      [
        'signIns',
        ['portal.signIn', 'other'],
        ['1 done, 2 refused', '0 done, 0 refused', '1 done, 0 refused'],
      ],
      ['directory', [], Array(3).fill('0 done, 0 refused')],
    ] as const) {
      const hours = await audit.countHours({ log, exceptDone }, minute(0), 3)
      assert.deepEqual(
        hours.map(({ done, refused }) => `${done} done, ${refused} refused`),
        counts,
      )
      assert.deepEqual(
        hours.map(({ from }) => from),
        [minute(0), minute(60), minute(120)],
      )
    }
  })

  it('are returned once each, page by page, in the order of the writes', async () => {
    const { audit } = await (await fresh()).open()
    await audit.append(
      'signIns',
      // The IDs of one millisecond repeat their order after 4,096.
      Array.from({ length: 1234 }, (_, n) => record({ target: `${n}`, at: minute(n) })),
    )
    const seen: (string | null)[] = []
    let before: string | null | undefined
    do {
      const page = await audit.find({ log: 'signIns', limit: 500, ...(before && { before }) })
      seen.push(...page.records.map(({ target }) => target))
      before = page.next
    } while (before !== null)
    assert.deepEqual(
      seen,
      Array.from({ length: 1234 }, (_, n) => `${1233 - n}`),
    )
  })

  it('are found once each by several filters, with limited work for a page', async () => {
    const { audit } = await (await fresh()).open()
    const count = 2 * maxRecordsScanned + 50
    await audit.append(
      'signIns',
      Array.from({ length: count }, (_, n) =>
        record({
          at: minute(n),
          actor: n % 2 === 0 ? 'even' : 'odd',
          target: n < 10 ? 'early' : 'late',
          ...(n === 1 && { outcome: 'refused' as const, reason: 'rare' }),
        }),
      ),
    )
    const pagesOf = async (query: Partial<AuditQuery>) => {
      const pages: number[] = []
      let before: string | null | undefined
      do {
        const limit = 1000
        const page = await audit.find({
          log: 'signIns',
          limit,
          ...query,
          ...(before && { before }),
        })
        pages.push(page.records.length)
        before = page.next
      } while (before !== null)
      return pages
    }
    for (const [query, pages] of [
      // Both filters have many records: a page ends after the records that it may read.
      [{ actor: 'even', outcome: 'done', action: 'token.look' }, [0, 0]],
      [{ outcome: 'done', action: 'token.issue' }, [1000, 1000, 1000, 1000, 49]],
      // One filter has few records, which are read whole.
      [{ actor: 'odd', target: 'early' }, [5]],
      [{ actor: 'even', target: 'early' }, [5]],
      [{ outcome: 'refused', tenantId: 'a tenant' }, [1]],
      [{ reason: 'rare', actor: 'even' }, [0]],
      [{ reason: 'rare', actor: 'odd', outcome: 'refused' }, [1]],
      // One filter with an index: pages have the limit.
      [{ target: 'late' }, [1000, 1000, 1000, 1000, 40]],
    ] as const)
      assert.deepEqual(await pagesOf(query), pages, JSON.stringify(query))
  })

  it('contain a shortened or replaced text if a store cannot keep the original', async () => {
    const { audit } = await (await fresh()).open()
    await audit.append('signIns', [
      record({ actor: `\0\ud800${'x'.repeat(100_000)}`, correlationId: '' }),
    ])
    const [kept] = (await audit.find({ log: 'signIns', limit: 1 })).records
    assert.equal(kept?.actor, `\ufffd\ufffd${'x'.repeat(254)}`)
    assert.equal(kept?.correlationId, '')
  })

  it('are deleted if they are too old or too many, and only then', async () => {
    const store = await fresh()
    const { audit, directory } = await store.open()
    const now = new Date(start + 100 * dayMs)
    const ages = [91, 90.5, 89, 5, 4, 3]
    const aged = ages.map((days) =>
      record({ at: new Date(now.getTime() - days * dayMs), target: `${days}` }),
    )
    await audit.append('signIns', aged)
    await directory.commit(beginning, 'first', [], aged)
    const records = { signIns: 3, unauthenticated: 3, refusedChanges: 3 }
    const limits = { directoryDays: 90, signInDays: 90, records }
    await audit.forgetOld(limits, new AgreedTime(now))
    await audit.forgetBeyond(limits, now)
    const kept = async (log: 'directory' | 'signIns') =>
      (await audit.find({ log, limit: 100 })).records.map(({ target }) => target)
    assert.deepEqual(await kept('signIns'), ['3', '4', '5'])
    assert.deepEqual(await kept('directory'), ['3', '4', '5', '89'])
  })

  it('are deleted in parts until a signal aborts, and the next call continues', async () => {
    const { audit } = await (await fresh()).open()
    const old = Array.from({ length: 700 }, (_, n) => record({ at: minute(n), target: `${n}` }))
    await audit.append('signIns', old)
    const records = { signIns: 9999, unauthenticated: 9999, refusedChanges: 9999 }
    const limits = { directoryDays: 1, signInDays: 1, records }
    const later = new AgreedTime(new Date(start + 100 * dayMs))
    const remaining = async () => (await audit.find({ log: 'signIns', limit: 1000 })).records.length
    await assert.rejects(audit.forgetOld(limits, later, AbortSignal.abort()), {
      name: 'AbortError',
    })
    assert.equal(await remaining(), 200)
    await audit.forgetOld(limits, later)
    assert.equal(await remaining(), 0)
  })

  it('are deleted only from the flooded lane (AS34)', async () => {
    const { audit, directory } = await (await fresh()).open()
    const named = (target: string, count = 1) =>
      Array.from({ length: count }, (_, n) => record({ at: minute(n), target }))
    await directory.commit(beginning, 'first', [], named('a change'))
    await audit.append('signIns', named('a sign-in'))
    await audit.append('refusedChanges', named('a refused change'))
    await audit.append('unauthenticated', named('an unauthenticated request', 50))
    const records = { signIns: 1, unauthenticated: 7, refusedChanges: 1 }
    const limits = { directoryDays: 1, signInDays: 1, records }
    await audit.forgetBeyond(limits, minute(60))
    const kept = async (log: 'directory' | 'signIns') =>
      (await audit.find({ log, limit: 100 })).records.map(({ target }) => target)
    assert.deepEqual((await kept('directory')).sort(), ['a change', 'a refused change'])
    assert.deepEqual(new Map(Object.entries(Object.groupBy(await kept('signIns'), String))).size, 2)
    assert.equal(
      (await kept('signIns')).filter((target) => target === 'an unauthenticated request').length,
      7,
    )

    await audit.append('refusedChanges', named('a later refused change', 3))
    await audit.forgetBeyond(limits, minute(60))
    assert.deepEqual((await kept('directory')).sort(), ['a change', 'a later refused change'])
  })

  it('are not stored for a disabled lane, but for the other lane of its log', async () => {
    const { audit } = await (await fresh()).open()
    for (const lane of ['signIns', 'unauthenticated'] as const)
      await audit.append(lane, [record({ at: minute(1), target: lane })])
    const records = { signIns: 0, unauthenticated: 7, refusedChanges: 7 }
    await audit.forgetBeyond({ directoryDays: 1, signInDays: 1, records }, minute(60))
    const { records: kept } = await audit.find({ log: 'signIns', limit: 100 })
    assert.deepEqual(
      kept.map(({ target }) => target),
      ['unauthenticated'],
    )
  })
}
