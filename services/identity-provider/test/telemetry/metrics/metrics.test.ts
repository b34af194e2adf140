import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { observeRequests } from '@greeting/http-service'
import { createMetrics } from '../../../src/telemetry/metrics/metrics.ts'
import { clientId, tenantId, testService } from '../../endpoints/test-service.ts'
import { sampleSources, unknownUsage } from './sample-sources.ts'

const linesOf = async ({ registry }: ReturnType<typeof createMetrics>) =>
  (await registry.metrics()).split('\n')

describe('the metrics of the identity provider', () => {
  it('cover the process, the keys, the directory and the store with its limits', async () => {
    let usage = unknownUsage
    const metrics = createMetrics()
    metrics.watch(sampleSources(() => usage))
    const before = await linesOf(metrics)
    assert.ok(before.some((line) => line.startsWith('nodejs_eventloop_lag_p99_seconds ')))
    for (const name of [
      'greeting_storage_audit_records{',
      'greeting_credentials_ending{',
      'greeting_storage_bytes ',
    ])
      assert.ok(!before.some((line) => line.startsWith(name)), `${name}: nothing is known yet`)
    usage = {
      bytes: 4096,
      usedAssertions: 5,
      credentialUses: 6,
      auditRecords: { signIns: 7, unauthenticated: 8, refusedChanges: 9 },
      endingCredentials: { secret: 10, certificate: 11 },
      tenantObjects: { [tenantId]: 12 },
    }
    const after = await linesOf(metrics)
    for (const line of [
      'greeting_storage_audit_records{lane="signIns"} 7',
      'greeting_storage_audit_records{lane="unauthenticated"} 8',
      'greeting_storage_audit_records{lane="refusedChanges"} 9',
      'greeting_storage_audit_records_max{lane="unauthenticated"} 100000',
      'greeting_storage_used_assertions 5',
      'greeting_storage_used_assertions_max 1000000',
      'greeting_storage_credential_uses 6',
      'greeting_storage_bytes 4096',
      'greeting_credentials_ending{kind="secret"} 10',
      'greeting_credentials_ending{kind="certificate"} 11',
      `greeting_tenant_objects{tenant_id="${tenantId}"} 12`,
      'greeting_tenant_objects_max 300',
      'greeting_audit_waiting_records 4',
      'greeting_audit_dropped_records_total 5',
      'greeting_audit_export_queued{sink="file:/audit.jsonl"} 6',
      'greeting_audit_export_dropped_total{sink="file:/audit.jsonl"} 7',
      'greeting_audit_export_failures_total{sink="file:/audit.jsonl"} 8',
      'greeting_store_reversals_total 1',
      'greeting_clock_offset_seconds -0.5',
      'greeting_clock_disagreements_total 2',
      'greeting_clock_in_doubt 1',
      'greeting_signing_keys{phase="announced"} 1',
      'greeting_signing_keys{phase="active"} 1',
      'greeting_signing_keys{phase="retired"} 1',
      'greeting_signing_key_phase_end_seconds{phase="active"} 864000',
      'greeting_signing_keys_revision 3',
      'greeting_signing_keys_conflicts_total 1',
      'greeting_signing_keys_age_seconds 0.5',
      'greeting_https_certificate_end_seconds 5184000',
      'greeting_directory_revision 7',
      'greeting_directory_conflicts_total 2',
      'greeting_directory_age_seconds 0.25',
      'greeting_directory_cache_weight 40',
      'greeting_directory_cache_weight_max 1000',
    ])
      assert.ok(after.includes(line), line)
  })

  it('count token requests by outcome, reason and type of credential', async () => {
    const metrics = createMetrics({ clientIds: [clientId], tenantIds: [tenantId] })
    const { token, form } = await testService({ observeToken: metrics.observeToken })
    assert.equal((await token(form())).status, 200)
    await token(form({ client_secret: 'wrong' }))
    await token(form({ client_id: crypto.randomUUID() }))
    await token({ grant_type: 'client_credentials' })
    const keys = { sign: () => Promise.reject(new Error('canary')), published: () => [] }
    const faulty = await testService({ keys, observeToken: metrics.observeToken })
    await faulty.token(faulty.form())
    const lines = await linesOf(metrics)
    const counted = (labels: string) => `greeting_token_requests_total{${labels}} 1`
    for (const line of [
      counted('outcome="issued",reason="",credential="secret"'),
      counted('outcome="failed",reason="internal",credential="secret"'),
      counted('outcome="refused",reason="secret_wrong",credential="secret"'),
      counted('outcome="refused",reason="client_unknown",credential="secret"'),
      counted('outcome="refused",reason="parameter_missing",credential="none"'),
      `greeting_client_token_requests_total{client_id="${clientId}",outcome="issued"} 1`,
      `greeting_client_token_requests_total{client_id="${clientId}",outcome="refused"} 1`,
      `greeting_tenant_token_requests_total{tenant_id="${tenantId}",outcome="issued"} 1`,
      `greeting_tenant_token_requests_total{tenant_id="${tenantId}",outcome="refused"} 2`,
      `greeting_tenant_token_requests_total{tenant_id="${tenantId}",outcome="failed"} 1`,
    ])
      assert.ok(lines.includes(line), line)
  })

  it('contain no client or tenant label that the settings do not name', async () => {
    const metrics = createMetrics()
    const { token, form } = await testService({ observeToken: metrics.observeToken })
    await token(form())
    await token(form({ client_id: crypto.randomUUID() }))
    const text = await metrics.registry.metrics()
    assert.doesNotMatch(text, /client_id|tenant_id|[0-9a-f]{8}-[0-9a-f]{4}/)
  })

  it('include durations by route pattern, never by path', async () => {
    const metrics = createMetrics()
    const observeRequest = observeRequests(undefined, metrics.observeRequest)
    const { app, token, form } = await testService({ observeRequest })
    await token(form())
    await app.request('http://login.test/no/such/path')
    await app.request('http://login.test/readyz', { method: 'PROPFIND' })
    const text = await metrics.registry.metrics()
    const count = (labels: string) => `http_server_request_duration_seconds_count{${labels}} 1`
    assert.ok(
      text.includes(
        count(
          'http_request_method="POST",http_route="/:tenant/oauth2/v2.0/token",http_response_status_code="200"',
        ),
      ),
      text,
    )
    assert.match(text, /http_request_method="_OTHER"/)
    for (const secret of [tenantId, 'no/such/path', 'PROPFIND']) assert.ok(!text.includes(secret))
  })
})
