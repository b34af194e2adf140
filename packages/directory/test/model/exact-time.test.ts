import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exactTime, madeTime, timeText, wholeSeconds } from '../../src/model/exact-time.ts'

describe('a time', () => {
  // entra E340
  const rows: readonly (readonly [given: string, shown: string, ms: string])[] = [
    ['2027-08-05T23:59:59Z', '2027-08-05T23:59:59Z', '.000'],
    ['2027-08-05T23:59:59.000Z', '2027-08-05T23:59:59Z', '.000'],
    ['2020-06-19T06:53:53.240Z', '2020-06-19T06:53:53.24Z', '.240'],
    ['2019-10-03T06:23:33.322Z', '2019-10-03T06:23:33.322Z', '.322'],
    ['2020-01-11T09:05:32.3052406Z', '2020-01-11T09:05:32.3052406Z', '.305'],
    ['2023-02-15T21:38:02.84925Z', '2023-02-15T21:38:02.84925Z', '.849'],
    ['2023-02-15T21:38:02.0000001Z', '2023-02-15T21:38:02.0000001Z', '.000'],
    ['2023-02-15T21:38:02.123456789Z', '2023-02-15T21:38:02.1234567Z', '.123'],
    ['2027-01-01T00:00:00+02:00', '2026-12-31T22:00:00Z', '.000'],
    ['2027-01-01T00:00:00.1234567-02:00', '2027-01-01T02:00:00.1234567Z', '.123'],
    ['1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.9999999Z', '.999'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z', '.999'],
  ]
  for (const [given, shown, ms] of rows)
    it(`with the text ${given} is shown as ${shown}`, () => {
      const time = exactTime(given)
      assert.equal(timeText(time), shown)
      assert.equal(timeText(exactTime(time.toISOString())), shown)
      assert.equal(new Date(time).toISOString().slice(19, 23), ms)
    })

  it('has seven digits if the server chose it, and always the same digits for one ID', () => {
    const now = new Date('2026-02-01T12:00:00.120Z')
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']) {
      const text = timeText(madeTime(now, id))
      assert.match(text, /^2026-02-01T12:00:00\.120\d{3}[1-9]Z$/)
      assert.equal(timeText(madeTime(now, id)), text)
    }
  })

  it('has whole seconds if Graph stores no fractions', () => {
    assert.equal(wholeSeconds(new Date('2026-02-01T12:00:00.999Z')), '2026-02-01T12:00:00Z')
  })
})
