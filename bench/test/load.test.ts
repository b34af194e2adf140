import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  failuresIn,
  type LoadReport,
  measureLoad,
  opensslSpeed,
  opensslSpeedByProcessor,
} from '../harness/load.ts'
import { presentPrograms } from '../harness/programs.ts'

const report: LoadReport = {
  requests: 1000,
  seconds: 2,
  p99Ms: 2.5,
  repeats: 0,
  failures: { status: 0, timeout: 0 },
}

describe('a measurement', () => {
  const rows: readonly [string, LoadReport, boolean, string[]][] = [
    ['counts when every answer was a success', report, true, []],
    [
      'does not count when an answer was an error',
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
      'does not count when a new token was sent twice',
      { ...report, repeats: 1 },
      true,
      ['the tokens ran out and were sent again'],
    ],
    ['counts when cached tokens are sent again', { ...report, repeats: 9 }, false, []],
  ]
  for (const [name, sampleReport, mustBeUnique, expected] of rows) {
    it(name, () => assert.deepEqual(failuresIn(sampleReport, mustBeUnique), expected))
  }
})

describe('the report of a load generator', () => {
  const printing = (text: string) => [
    process.execPath,
    '--eval',
    `console.log(${JSON.stringify(text)})`,
  ]

  it('is its line of JSON, within other output', async () => {
    const output = `Running 1s test\n${JSON.stringify(report)}\nLatency 1ms\n`
    assert.deepEqual(await measureLoad(printing(output), [], true), {
      requestsPerSecond: 500,
      p99Ms: 2.5,
      failures: [],
    })
  })

  it('is an error when there is none', async () => {
    await assert.rejects(measureLoad(printing('unable to connect'), [], true), /unable to connect/)
  })
})

it('openssl is measured by the clock, or by its processor time', {
  skip: !presentPrograms().has('openssl'),
}, async () => {
  const size = { connections: 1, seconds: 1 }
  for (const generator of [opensslSpeed, opensslSpeedByProcessor]) {
    const { failures, requestsPerSecond } = await measureLoad(
      generator({ url: '' }, size),
      [],
      false,
    )
    assert.deepEqual(failures, [])
    assert.ok(requestsPerSecond > 0)
  }
})
