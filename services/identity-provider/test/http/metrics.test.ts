import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMetrics } from '../../src/http/metrics.ts'
import { defaultStorageLimits } from '../../src/storage/storage.ts'
import type { StorageUsage } from '../../src/storage/storage-usage.ts'
import { testService } from './test-service.ts'

const unknown: StorageUsage = {
  ...{ bytes: undefined, usedAssertions: undefined, credentialUses: undefined },
  auditRecords: { signIns: undefined, unauthenticated: undefined, refusedChanges: undefined },
}

describe('the metrics of the identity provider', () => {
  it('show the process, and the store with its limits', async () => {
    let usage = unknown
    const metrics = createMetrics({ usage: () => usage }, defaultStorageLimits)
    const before = await metrics.read()
    assert.match(before, /^greeting_storage_audit_records_max\{lane="unauthenticated"\} 100000$/m)
    assert.match(before, /^nodejs_eventloop_lag_p99_seconds /m)
    assert.doesNotMatch(before, /^greeting_storage_audit_records\{/m, 'nothing is known yet')
    usage = {
      ...{ bytes: 4096, usedAssertions: 5, credentialUses: 6 },
      auditRecords: { signIns: 7, unauthenticated: 8, refusedChanges: 9 },
    }
    const after = await metrics.read()
    for (const line of [
      'greeting_storage_audit_records{lane="signIns"} 7',
      'greeting_storage_audit_records{lane="unauthenticated"} 8',
      'greeting_storage_audit_records{lane="refusedChanges"} 9',
      'greeting_storage_used_assertions 5',
      'greeting_storage_used_assertions_max 1000000',
      'greeting_storage_credential_uses 6',
      'greeting_storage_bytes 4096',
    ])
      assert.ok(after.split('\n').includes(line), line)
  })

  it('are served as text that is not cached', async () => {
    const metrics = createMetrics({ usage: () => unknown }, defaultStorageLimits)
    const { app } = await testService({ metrics })
    const response = await app.request('/metrics')
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), metrics.contentType)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(await response.text(), /^# HELP greeting_storage_bytes /m)
  })
})
