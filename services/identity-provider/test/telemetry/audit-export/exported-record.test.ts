import assert from 'node:assert/strict'
import { it } from 'node:test'
import { linesOf } from '../../../src/telemetry/audit-export/exported-record.ts'
import { sampleRecords } from './sample-records.ts'

it('an exported record is one line of JSON, with strings of at most 256 characters', () => {
  const [exported = assert.fail()] = sampleRecords(7, 1)
  const { at } = exported.record
  const record = { ...exported.record, actor: `\n${'x'.repeat(300)}`, blueprintId: 'a blueprint' }
  const lines = linesOf([{ ...exported, record }])
  assert.equal(lines.indexOf('\n'), lines.length - 1)
  assert.deepEqual(JSON.parse(lines), {
    run: 'a run',
    number: 7,
    lane: 'signIns',
    ...record,
    actor: `\n${'x'.repeat(255)}`,
    at: at.toISOString(),
  })
})
