import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { server as identity } from '../../../test/fixtures/tls-identities.ts'
import { ClientError, isClientFailure } from '../src/errors.ts'
import { clientSecret, createTokenSource, fetchWithToken } from '../src/index.ts'
import { withoutSecrets } from '../src/redaction.ts'

describe('isClientFailure', () => {
  it('recognizes an error from another copy of the library', async () => {
    const copy: typeof import('../src/errors.ts') = await import(`${'../src/errors.ts'}?copy`)
    const error = new copy.ClientError('api_unreachable', 'the API cannot be reached', {})
    assert.ok(!(error instanceof ClientError))
    assert.ok(isClientFailure(error))
    assert.ok(copy.isClientFailure(new ClientError('token_refused', 'the token was refused', {})))
  })

  it('returns false for every other value', () => {
    for (const value of [new Error('a'), { code: 'api_unreachable' }, undefined, null, 'a'])
      assert.ok(!isClientFailure(value))
  })
})

describe('an untrusted certificate', () => {
  it('has a remedy that names certificates, over a real connection', async (t) => {
    const server = createServer(identity, (_, response) => response.end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const tokens = createTokenSource({
      authority: `${origin}/tenant`,
      clientId: 'client-id',
      credential: clientSecret('a secret of this test'),
      scope: 'api://api-id/.default',
      deadlineMs: 1000,
    })
    await assert.rejects(tokens.token(), (error) => {
      assert.ok(isClientFailure(error))
      assert.equal(error.code, 'authority_unreachable')
      assert.match(error.remedy, /NODE_EXTRA_CA_CERTS.*greeting trust/)
      return true
    })
    const known = { token: async () => 'a.b.c', renewAfter: async () => 'a.b.c' }
    const call = fetchWithToken({
      baseUrl: origin,
      tokens: { ...tokens, ...known },
      deadlineMs: 1000,
    })
    await assert.rejects(call('/hi'), (error) => {
      assert.ok(isClientFailure(error))
      assert.equal(error.code, 'api_unreachable')
      assert.match(error.remedy, /NODE_EXTRA_CA_CERTS/)
      return true
    })
  })
})

describe('a short secret', () => {
  it("does not remove words from the server's message", () => {
    const sentence = 'You may have sent your authentication request to the wrong tenant.'
    assert.equal(withoutSecrets(sentence, ['wrong']), sentence)
    assert.equal(withoutSecrets('sent 12345678', ['12345678']), 'sent [redacted]')
  })
})
