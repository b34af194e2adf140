import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf, type LoadReport, readLoadReport } from '../harness/load-report.ts'

const report: LoadReport = {
  requests: 1000,
  seconds: 1,
  p99Ms: 2.5,
  turns: 0,
  failures: { status: 0, timeout: 0 },
}

describe('the report of a load generator', () => {
  it('is its last line of JSON, whatever it printed before', () => {
    const printed = `Running 1s test\n  Latency 1ms\n{"old":1}\n${JSON.stringify(report)}\n`
    assert.deepEqual(readLoadReport(printed), report)
  })

  it('is missed when there is none', () => {
    assert.throws(() => readLoadReport('unable to connect'), /reported nothing: unable to connect/)
  })
})

describe('a measurement', () => {
  const rows: readonly [string, LoadReport, boolean, string[]][] = [
    ['counts when every answer was a success', report, true, []],
    [
      'does not count when an answer was none',
      { ...report, failures: { status: 3, timeout: 0 } },
      false,
      ['3 of 1000 requests failed (status)'],
    ],
    [
      'does not count when nothing was answered',
      { ...report, requests: 0 },
      false,
      ['no request was answered'],
    ],
    [
      'does not count when nothing was answered but what its pauses take away',
      { ...report, requests: -3 },
      false,
      ['no request was answered'],
    ],
    [
      'does not count when its time is less than that of its pauses',
      { ...report, seconds: -0.2 },
      false,
      ['its clock does not hold all the time that it was held'],
    ],
    [
      'does not count when a token that must be new was sent again',
      { ...report, turns: 1 },
      true,
      ['the tokens ran out and were sent again'],
    ],
    ['counts when tokens that may be remembered take turns', { ...report, turns: 9 }, false, []],
  ]
  for (const [name, given, tokensMustDiffer, expected] of rows) {
    it(name, () => assert.deepEqual(faultsOf(given, tokensMustDiffer), expected))
  }
})
