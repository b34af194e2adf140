import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { prepareRefusals, refusalRows, withHeader } from '../src/refusal.ts'

const refusals = prepareRefusals('api', undefined)

describe('every refusal', () => {
  for (const [reason, refusal] of Object.entries(refusals)) {
    it(`${reason} is frozen JSON with exactly two string members, and forbids caching`, () => {
      const body = JSON.parse(refusal.body)
      assert.deepEqual(Object.keys(body), ['error', 'error_description'])
      assert.equal(typeof body.error, 'string')
      assert.equal(typeof body.error_description, 'string')
      assert.equal(refusal.headers['content-type'], 'application/json')
      assert.equal(refusal.headers['cache-control'], 'no-store')
      assert.equal(refusal.headers['x-content-type-options'], 'nosniff')
      assert.ok(Object.isFrozen(refusal) && Object.isFrozen(refusal.headers))
      assert.equal(refusal.reason, reason)
    })

    it(`${reason} has a challenge only if required, in the characters of RFC 6750 (RS23)`, () => {
      const challenge = refusal.headers['www-authenticate']
      assert.equal(challenge !== undefined, [400, 401, 403].includes(refusal.status))
      if (challenge === undefined) return
      const parameter = '[a-z_]+="[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]+"'
      assert.match(challenge, new RegExp(`^Bearer ${parameter}(, ${parameter})*$`))
    })
  }

  const statuses: [error: string, status: number][] = [
    ['unauthorized', 401],
    ['invalid_request', 400],
    ['invalid_token', 401],
    ['access_denied', 403],
    ['temporarily_unavailable', 503],
    ['not_found', 404],
    ['method_not_allowed', 405],
  ]
  it('has the status for its error (RS24)', () => {
    for (const row of Object.values(refusalRows)) {
      assert.equal(new Map(statuses).get(row.error), row.status, row.error)
    }
  })
})

describe('a challenge', () => {
  it('has no error code if no credentials were sent (RS23)', () => {
    assert.equal(refusals.no_credentials.headers['www-authenticate'], 'Bearer realm="api"')
  })

  it('contains insufficient_scope if the role is missing (RS24)', () => {
    assert.equal(
      refusals.role_missing.headers['www-authenticate'],
      'Bearer realm="api", error="insufficient_scope"',
    )
  })

  it('always contains the scope that a client must request, if there is one (RS30)', () => {
    for (const { headers } of Object.values(
      prepareRefusals('api', undefined, 'api://x/.default'),
    )) {
      const challenge = headers['www-authenticate']
      if (challenge !== undefined) assert.ok(challenge.endsWith(', scope="api://x/.default"'))
    }
  })

  it('always contains the URL of the resource metadata, if there is one (RS30)', () => {
    const url = 'https://api.example/.well-known/oauth-protected-resource'
    for (const { headers } of Object.values(prepareRefusals('api', url))) {
      const challenge = headers['www-authenticate']
      if (challenge !== undefined) assert.ok(challenge.endsWith(`, resource_metadata="${url}"`))
    }
  })
})

describe('a missing role (contract C87, contract C88)', () => {
  it('produces exactly the required body, byte for byte', () => {
    assert.equal(
      refusals.role_missing.body,
      '{"error":"access_denied","error_description":"Access is denied"}',
    )
  })
})

describe('an additional header', () => {
  it('does not change the prepared refusal', () => {
    const more = withHeader(refusals.keys_unavailable, 'retry-after', '7')
    assert.equal(more.headers['retry-after'], '7')
    assert.equal('retry-after' in refusals.keys_unavailable.headers, false)
  })
})
