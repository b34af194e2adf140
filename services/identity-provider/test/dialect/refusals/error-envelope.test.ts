import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCorrelationIds } from '../../../src/dialect/correlation-ids.ts'
import { errorEnvelope } from '../../../src/dialect/refusals/error-envelope.ts'

const trace = {
  traceId: '11111111-2222-4333-8444-555555555555',
  correlationId: '66666666-7777-4888-8999-000000000000',
  at: new Date('2026-06-01T12:00:00.999Z'),
}

describe('the envelope of a refusal', () => {
  it('frames the sentence with single spaces, as Entra does', () => {
    const { error_description } = errorEnvelope({ reason: 'scope_missing' }, trace, 'https://a')
    assert.equal(
      error_description,
      `AADSTS90014: The required field 'scope' is missing from the credential. Ensure that you have all the necessary parameters for the login request. Trace ID: ${trace.traceId} Correlation ID: ${trace.correlationId} Timestamp: 2026-06-01 12:00:00Z`,
    )
  })

  it('repeats of what a client sent only characters that may leave (AS5)', () => {
    const grant = 'a"b\\c\r\nd\u0000é\u202e'
    const { error_description } = errorEnvelope(
      { reason: 'grant_type_unsupported', grant },
      trace,
      'https://a',
    )
    assert.ok(error_description.includes("grant type 'a?b?c??d???'."))
  })

  it('is short, however long what a client sent is', () => {
    const { error_description } = errorEnvelope(
      { reason: 'scope_not_default', scope: 'x'.repeat(60_000) },
      trace,
      'https://a',
    )
    assert.ok(error_description.length < 1300)
    assert.ok(error_description.endsWith('2026-06-01 12:00:00Z'))
  })
})

describe('the trace of a request', () => {
  const newGuid = () => 'new'
  const given = '66666666-7777-4888-8999-000000000000'
  const rows: [string, (string | null | undefined)[], string][] = [
    ['the first GUID that the client gave', [undefined, given, trace.traceId], given],
    ['a new one when it gave none', [undefined, null], 'new'],
    ['a new one when it gave something else', ['x', `${given}x`], 'new'],
  ]
  for (const [what, ids, expected] of rows) {
    it(`has for a correlation id ${what}`, () => {
      assert.equal(createCorrelationIds(ids, trace.at, newGuid).correlationId, expected)
    })
  }
})
