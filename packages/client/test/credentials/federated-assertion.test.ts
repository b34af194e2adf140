import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { federatedAssertion } from '../../src/credentials/federated-assertion.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { grant, noConnection, refusal, VirtualRuntime } from '../fakes/virtual-runtime.ts'

describe('a federated assertion', () => {
  it('is read again before each request', async () => {
    let number = 0
    const credential = federatedAssertion(() => `assertion-${++number}`)
    const environment = new VirtualRuntime(noConnection, grant('t1'))
    await tokenSourceIn(environment, { credential }).token()
    assert.deepEqual(
      environment.sent.map(({ form }) => form.get('client_assertion')),
      ['assertion-1', 'assertion-2'],
    )
    assert.equal(environment.sent[0]?.form.get('client_id'), 'client-id')
  })

  it('is not retried after a refusal, even if a new assertion is available', async () => {
    let number = 0
    const credential = federatedAssertion(async () => `assertion-${++number}`)
    const environment = new VirtualRuntime(refusal('invalid_client', 700213))
    await assert.rejects(tokenSourceIn(environment, { credential }).token(), {
      code: 'credential_refused',
    })
    assert.equal(environment.sent.length, 1)
  })

  it('causes an error, and no request, if it is unavailable', async () => {
    for (const assertion of [() => Promise.reject(new Error('no such service')), () => '']) {
      const credential = federatedAssertion(assertion)
      const environment = new VirtualRuntime(grant('t1'))
      await assert.rejects(tokenSourceIn(environment, { credential }).token(), {
        code: 'credential_unreadable',
      })
      assert.equal(environment.sent.length, 0)
    }
  })

  it('is the grant itself, without client authentication, if grant is jwt-bearer', async () => {
    const credential = federatedAssertion(() => 'a.b.c', { grant: 'jwt-bearer' })
    const environment = new VirtualRuntime(grant('t1'))
    await tokenSourceIn(environment, { credential }).token()
    assert.deepEqual(Object.fromEntries(environment.sent[0]?.form ?? []), {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      scope: 'api://api-id/.default',
      assertion: 'a.b.c',
    })
  })

  it('must be supplied by a function, with a known grant', () => {
    assert.throws(() => federatedAssertion('a.b.c' as never), TypeError)
    assert.throws(() => federatedAssertion(() => 'a.b.c', { grant: 'x' as never }), {
      message: /`grant` must be 'jwt-bearer'/,
    })
  })
})
