import assert from 'node:assert/strict'
import { it } from 'node:test'
import { processMetrics } from '../../growth/identity-server.ts'

const text = `# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
process_cpu_seconds_total 1.5
process_resident_memory_bytes 200000000
nodejs_eventloop_lag_max_seconds 0.035
greeting_storage_audit_records{lane="signIns"} 7
`

it('the metrics of a process have megabytes, seconds, and the pause without the period of the timer', () => {
  const { residentMb, cpuSeconds, longestPauseMs, value } = processMetrics(text)
  assert.deepEqual([residentMb, cpuSeconds, longestPauseMs], [200, 1.5, 25])
  assert.equal(value('greeting_storage_audit_records{lane="signIns"}'), 7)
  assert.ok(Number.isNaN(value('process_cpu')), 'a part of a name is another metric')
})
