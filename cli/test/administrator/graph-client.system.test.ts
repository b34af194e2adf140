import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isClientFailure } from '@greeting/client'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { application } from '@greeting/registrations/directory'
import { GraphFixture } from '../../../test/fixtures/graph/graph-fixture.ts'
import type { Json } from '../../../test/fixtures/graph/graph-tenant.ts'
import { retryReason } from '../../src/administrator/graph-client.ts'

const refusal = (status: number, code = 'Request_BadRequest', message = '') =>
  new GraphRefusalError({ method: 'POST', path: '/x' }, status, { error: { code, message } })

describe('a retry after a refusal', () => {
  const late = { repeatable: false, expectsLag: true }
  const twice = { repeatable: true, expectsLag: false }
  const once = { repeatable: false, expectsLag: false }
  const rows: [string, GraphRefusalError, typeof late, string | undefined][] = [
    ['429', refusal(429), once, 'throttled'],
    ['503 to a repeatable request', refusal(503), twice, 'unavailable'],
    ['503 to another request', refusal(503), late, undefined],
    ['404 about a new object', refusal(404), late, 'not found yet'],
    ['404 about an older object', refusal(404), twice, undefined],
    [
      'a service principal that is not replicated',
      refusal(400, undefined, 'Not a valid reference update.'),
      late,
      'not yet available for references',
    ],
    [
      'a role that is not replicated',
      refusal(400, undefined, 'Permission being assigned was not found on application'),
      late,
      'not yet available for references',
    ],
    [
      'an application that is not replicated',
      refusal(
        400,
        undefined,
        "The appId 'x' of the service principal does not reference a valid application object.",
      ),
      late,
      'not yet available for references',
    ],
    [
      'the same refusal when nothing is new',
      refusal(400, undefined, 'Not a valid reference update.'),
      twice,
      undefined,
    ],
    ['any other 400', refusal(400, undefined, 'Invalid value.'), late, undefined],
    [
      'two changes at once',
      refusal(409, 'Directory_ConcurrencyViolation'),
      twice,
      'changed at the same time',
    ],
    ['a failed If-Match', refusal(412), { repeatable: true, expectsLag: true }, undefined],
    ['a missing role', refusal(403), { repeatable: true, expectsLag: true }, undefined],
  ]
  for (const [name, error, circumstances, reason] of rows) {
    it(`${name}: ${reason ?? 'for good'}`, () => {
      assert.equal(retryReason(error, circumstances), reason)
    })
  }
})

describe('the Graph client', () => {
  it('sends its token to no other origin, even for a next page there', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({
      line: /^GET \/applications$/,
      status: 200,
      times: 1,
      body: {
        value: [],
        '@odata.nextLink': 'https://elsewhere.test/v1.0/applications?$skiptoken=1',
      },
    })
    await assert.rejects(
      fixture.graph.list('/applications', application),
      /for https:\/\/graph\.test only/,
    )
  })

  it('accepts empty pages', async () => {
    const fixture = await GraphFixture.start()
    const edit = () => ({
      value: [],
      '@odata.nextLink': 'https://graph.test/v1.0/applications?$top=1',
    })
    fixture.tenant.faults.push({ line: /^GET \/applications$/, times: 1, edit })
    assert.equal((await fixture.graph.list('/applications', application)).length, 1)
  })

  it('reports responses that differ from the documentation', async () => {
    const fixture = await GraphFixture.start()
    const edit = ({ value }: Json) => ({
      value: (value as Json[]).map((one) => ({ ...one, displayName: 7 })),
    })
    fixture.tenant.faults.push({ line: /^GET \/applications$/, times: 1, edit })
    await assert.rejects(fixture.graph.list('/applications', application), {
      message: 'The response to GET /applications has an unexpected form: displayName',
    })
  })

  it('reports a refusal without JSON in one sentence', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /POST/, status: 400, times: 1, body: [] })
    await assert.rejects(fixture.graph.send({ method: 'POST', path: '/applications', body: {} }), {
      message: 'POST /applications was refused with HTTP status 400: no reason',
    })
  })

  it('stops its attempts when an outage exceeds the maximum time', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /POST/, status: 0, times: 1_000 })
    await assert.rejects(
      fixture.graph.send({ method: 'POST', path: '/applications', body: {}, repeatable: true }),
      (error) => isClientFailure(error) && error.code === 'api_unreachable',
    )
    assert.ok(
      fixture.waits.length > 10 && fixture.waits.every((reason) => reason === 'unreachable'),
    )
  })
})
