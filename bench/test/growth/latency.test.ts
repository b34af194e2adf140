import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LatencyRecorder } from '../../growth/latency.ts'

it('a distribution has the percentiles of its latencies, within a hundredth', () => {
  const recorder = new LatencyRecorder()
  for (let ms = 1; ms <= 1000; ms += 1) recorder.record(ms)
  recorder.fail()
  const { count, failures, p50Ms, p90Ms, p99Ms, maxMs } = recorder.read()
  assert.deepEqual({ count, failures }, { count: 1000, failures: 1 })
  for (const [found, expected] of [
    [p50Ms, 500],
    [p90Ms, 900],
    [p99Ms, 990],
    [maxMs, 1000],
  ] as const)
    assert.ok(Math.abs(found - expected) <= expected / 100, `${found} is about ${expected}`)
})

it('a distribution without a latency is zero', () => {
  const { count, p99Ms, maxMs } = new LatencyRecorder().read()
  assert.deepEqual({ count, p99Ms, maxMs }, { count: 0, p99Ms: 0, maxMs: 0 })
})
