import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClientError, isClientFailure } from '../src/errors.ts'

describe('isClientFailure', () => {
  it('recognizes an error of another copy of the library', async () => {
    const copy: typeof import('../src/errors.ts') = await import(`${'../src/errors.ts'}?copy`)
    const error = new copy.ClientError('api_unreachable', 'the API cannot be reached', {})
    assert.ok(!(error instanceof ClientError))
    assert.ok(isClientFailure(error))
    assert.ok(copy.isClientFailure(new ClientError('token_refused', 'the token was refused', {})))
  })

  it('is false for every other value', () => {
    for (const value of [new Error('a'), { code: 'api_unreachable' }, undefined, null, 'a'])
      assert.ok(!isClientFailure(value))
  })
})
