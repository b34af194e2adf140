import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { AuditRecord } from '@greeting/directory/audit'
import { firstRing } from '@greeting/directory/keys'
import { exportingStorage } from '../../../src/telemetry/audit-export/audit-export.ts'
import { contoso } from '../../management/sample-graph.ts'
import { freshStorage } from './fresh-storage.ts'
import { sampleRecords } from './sample-records.ts'

const [one, two] = sampleRecords(1, 2).map(({ record }, index) => ({
  ...record,
  target: `${index + 1}`,
})) as [AuditRecord, AuditRecord]

async function exportingFixture(t: TestContext) {
  const offered: (string | null)[] = []
  const stored = await freshStorage(t)
  const storage = exportingStorage(stored, ({ action, target }) =>
    offered.push(`${action} ${target}`),
  )
  return {
    ...storage,
    offered,
    isStored: async () => (await stored.audit.find(all)).records.length,
  }
}

const all = { log: 'directory', limit: 10 } as const

describe('audit records of changes', () => {
  it('are exported after the commit of their change', async (t) => {
    const { directory, offered } = await exportingFixture(t)
    const base = await directory.latest()
    const committing = directory.commit(base, 'a mark', [], [one, two])
    assert.deepEqual(offered, [])
    await committing
    assert.deepEqual(offered, ['token.issue 1', 'token.issue 2'])
  })

  it('are not exported after a conflict', async (t) => {
    const { directory, offered } = await exportingFixture(t)
    const base = await directory.latest()
    const change = { kind: 'tenant', id: contoso.id, value: contoso } as const
    const commit = (record: AuditRecord) =>
      directory.commit(base, crypto.randomUUID(), [change], [record])
    assert.notEqual(await commit(one), 'conflict')
    assert.equal(await commit(two), 'conflict')
    assert.deepEqual(offered, ['token.issue 1'])
  })

  it('are exported after the exclusive transaction', async (t) => {
    const { directory, offered } = await exportingFixture(t)
    await directory.exclusively([], async (log) => {
      await log.commit(await log.latest(), 'a mark', [], [one])
      assert.deepEqual(offered, [])
    })
    assert.deepEqual(offered, ['token.issue 1'])
  })

  it('are not exported if the exclusive transaction fails', async (t) => {
    const { directory, offered, isStored } = await exportingFixture(t)
    const failing = directory.exclusively([], async (log) => {
      await log.commit(await log.latest(), 'a mark', [], [one])
      throw new Error('later')
    })
    await assert.rejects(failing, { message: 'later' })
    assert.deepEqual(offered, [])
    assert.equal(await isStored(), 0)
  })

  it('match the stored records of key changes, and are not exported after a conflict', async (t) => {
    const { keyRing, offered, audit } = await exportingFixture(t)
    const event = { at: one.at, actor: 'system', action: 'announce', kid: 'k' } as const
    const commit = () =>
      keyRing.commit(firstRing, crypto.randomUUID(), [], [{ ...event, correlationId: null }])
    assert.deepEqual([await commit(), await commit()], ['committed', 'conflict'])
    assert.deepEqual(offered, ['signingKey.announce k'])
    const [{ action, target } = assert.fail()] = (await audit.find(all)).records
    assert.equal(`${action} ${target}`, offered[0])
  })
})
