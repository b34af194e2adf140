import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCorrelationIds } from '../../src/dialect/correlation-ids.ts'
import { errorAnswer } from '../../src/dialect/error-envelope.ts'

const ids = {
  traceId: '11111111-2222-4333-8444-555555555555',
  correlationId: '66666666-7777-4888-8999-000000000000',
  at: new Date('2026-06-01T12:00:00.999Z'),
}

describe('the body of a refusal', () => {
  it('frames the sentence with single spaces, as Entra does', () => {
    const { error_description } = errorAnswer({ reason: 'scope_missing' }, ids, 'https://a').body
    assert.equal(
      error_description,
      `AADSTS90014: The required field 'scope' is missing from the credential. Ensure that you have all the necessary parameters for the login request. Trace ID: ${ids.traceId} Correlation ID: ${ids.correlationId} Timestamp: 2026-06-01 12:00:00Z`,
    )
  })

  it('repeats only the permitted characters of a request (AS5)', () => {
    const grant = 'a"b\\c\r\nd\u0000é\u202e'
    const { error_description } = errorAnswer(
      { reason: 'grant_type_unsupported', grant },
      ids,
      'https://a',
    ).body
    assert.ok(error_description.includes("grant type 'a?b?c??d???'."))
  })

  it('stays short for a long request', () => {
    const { error_description } = errorAnswer(
      { reason: 'scope_not_default', scope: 'x'.repeat(60_000) },
      ids,
      'https://a',
    ).body
    assert.ok(error_description.length < 1300)
    assert.ok(error_description.endsWith('2026-06-01 12:00:00Z'))
  })
})

describe('the correlation ID of a request', () => {
  const newGuid = () => '99999999-aaaa-4bbb-8ccc-dddddddddddd'
  const created = '3d061c3b-aaaa-4bbb-8ccc-dddddddddddd'
  const sent = '66666666-7777-4888-8999-000000000000'
  const rows: [string, (string | null | undefined)[], string][] = [
    ['the first GUID that the client sent', [undefined, sent, ids.traceId], sent],
    ['a new one when the request has none', [undefined, null], created],
    ['a new one when the request has another text', ['x', `${sent}x`], created],
  ]
  for (const [what, clientRequestIds, expected] of rows) {
    it(`is ${what}`, () => {
      assert.equal(createCorrelationIds(clientRequestIds, ids.at, newGuid).correlationId, expected)
    })
  }

  it('sorts by time when the server creates it, and ends in random bits', () => {
    const times = [
      '2026-06-01T12:00:00.000Z',
      '2026-06-01T12:00:00.200Z',
      '2035-01-01T00:00:00.000Z',
    ]
    const createdAt = (time: string) =>
      createCorrelationIds([], new Date(time), () => crypto.randomUUID()).correlationId
    const inOrder = times.map(createdAt)
    assert.deepEqual(inOrder.toSorted(), inOrder)
    for (const id of inOrder) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const ofOneTime = new Set(times.map(() => createdAt('2026-06-01T12:00:00.000Z')))
    assert.equal(ofOneTime.size, times.length)
  })
})
