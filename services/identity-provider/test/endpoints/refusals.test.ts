import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { listen } from '@greeting/http-service'
import { accessRefusalRows } from '../../src/refusals/access-refusal-rows.ts'
import type { Refusal } from '../../src/refusals/refusal.ts'
import { refusalTable } from '../../src/refusals/refusal-table.ts'
import { assertionRefusalScenarios } from './assertion-refusal-scenarios.ts'
import { documentRefusalScenarios } from './document-refusal-scenarios.ts'
import { issuanceRefusalScenarios } from './issuance-refusal-scenarios.ts'
import type { RefusalScenario, ScenarioRequest } from './refusal-scenario.ts'
import { requestRefusalScenarios } from './request-refusal-scenarios.ts'
import { type TestService, tenantId, testService } from './test-service.ts'

const scenarios: readonly RefusalScenario[] = [
  ...requestRefusalScenarios,
  ...documentRefusalScenarios,
  ...issuanceRefusalScenarios,
  ...assertionRefusalScenarios,
]
/** The rows of docs/evidence/security-authorization-server.md that a refusal implements. */
const securityRows: Partial<Record<Refusal['reason'], string>> = {
  method_not_allowed: 'AS1',
  parameter_repeated: 'AS1',
  several_client_authentications: 'AS3',
  grant_type_unsupported: 'AS9',
  assertion_client_wrong: 'AS16',
  assertion_claim_missing: 'AS18',
  assertion_time_invalid: 'AS18',
  assertion_lifetime_too_long: 'AS18',
  assertion_algorithm_unsupported: 'AS21',
  assertion_key_unknown: 'AS21',
  assertion_key_expired: 'AS21',
  assertion_signature_invalid: 'AS21',
  client_disabled: 'AS31',
  resource_disabled: 'AS31',
}
const correlationId = '7a5f0a3c-6f0b-4a53-8d0e-1c2b3a495867'

/** The sign-in log has each refused token request up to the limit. Documents are public. */
const isRecorded = (scenario: RefusalScenario) =>
  !documentRefusalScenarios.includes(scenario) && scenario.reason !== 'throttled'

/** Sends a request to the service over a real socket. */
async function send(service: TestService, asked: ScenarioRequest) {
  const listener = await listen('127.0.0.1', 0)
  listener.answerWith((incoming, bindings) => service.app.fetch(incoming, bindings))
  try {
    const { path = `/${tenantId}/oauth2/v2.0/token`, method = 'POST', headers, form, body } = asked
    const outgoing = request(listener.url + path, {
      method,
      headers: {
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        'client-request-id': correlationId,
        ...headers,
      },
    })
    outgoing.end(body ?? (form && new URLSearchParams(form).toString()))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { response, body: JSON.parse(await text(response)) }
  } finally {
    await listener.stop()
  }
}

describe('every refusal, over HTTP and never a redirect (AS5, AS6, AS29)', () => {
  for (const scenario of scenarios) {
    const { reason, when, status, error, code, hasErrorUri } = scenario
    const row = securityRows[reason]
    it(`${reason}${when === undefined ? '' : `: ${when}`} is ${status} ${error} AADSTS${code}${row === undefined ? '' : ` (${row})`}`, async () => {
      const service = await testService(scenario.options)
      const { response, body } = await send(service, await scenario.request(service))
      const expectedFields = [
        'error',
        'error_description',
        'error_codes',
        'timestamp',
        'trace_id',
        'correlation_id',
        ...(hasErrorUri ? ['error_uri'] : []),
      ]
      assert.deepEqual(Object.keys(body), expectedFields, JSON.stringify(body))
      assert.equal(response.statusCode, status)
      assert.equal(body.error, error)
      assert.deepEqual(body.error_codes, [code])

      const { headers } = response
      assert.equal(body.trace_id, headers['x-ms-request-id'])
      assert.equal(body.correlation_id, correlationId)
      assert.match(body.timestamp, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/)
      if (hasErrorUri) assert.equal(body.error_uri, `http://login.test/error?code=${code}`)
      const frame = ` Trace ID: ${body.trace_id} Correlation ID: ${correlationId} Timestamp: ${body.timestamp}`
      assert.ok(body.error_description.endsWith(frame))
      const told = body.error_description.slice(`AADSTS${code}: `.length, -frame.length)
      assert.equal(body.error_description, `AADSTS${code}: ${told}${frame}`)
      if (typeof scenario.text === 'string') assert.equal(told, scenario.text)
      else assert.match(told, scenario.text)

      assert.equal(headers.location, undefined)
      // No client may store an answer, and no answer may contain a secret (AS5, AS6).
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.match(headers['cache-control'] ?? '', /no-store/)
      assert.equal(headers.pragma, 'no-cache')
      assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.ok(!JSON.stringify(body).includes(service.secret))
      assert.doesNotMatch(JSON.stringify(body), /canary/)
      const lane = Object.hasOwn(accessRefusalRows, reason) ? 'signIns' : 'unauthenticated'
      const records = service.audit.filter((record) => record.correlationId === correlationId)
      assert.deepEqual(
        records.map((record) => [record.reason, record.lane]),
        isRecorded(scenario) ? [[reason, lane]] : [],
      )
      const kept = JSON.stringify([service.audit, service.logged])
      assert.ok(!kept.includes(service.secret))
    })
  }

  it('has a row, and every row has a scenario', () => {
    const walked = new Set(scenarios.map(({ reason }) => reason))
    // The client has closed the connection and cannot read this answer. request-form.test.ts tests
    // this case.
    walked.add('body_incomplete')
    assert.deepEqual([...walked].sort(), Object.keys(refusalTable).sort())
  })
})
