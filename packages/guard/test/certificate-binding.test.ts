import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GuardOptions } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from './guard-factory.ts'
import { keySetOf, type Role, TokenFactory } from './token-factory.ts'

const forge = new TokenFactory('key-1')

describe('a token that is bound to a certificate', () => {
  const bound = () => forge.token({ cnf: { 'x5t#S256': 'thumbprint' } })
  type Binding = GuardOptions<Role>['certificateBinding']
  const rows: [Binding, token: () => string, proven: string | undefined, expected: string][] = [
    ['refused', bound, 'thumbprint', 'binding_not_proven'],
    ['refused', () => forge.token(), undefined, 'admitted'],
    ['enforced', bound, 'thumbprint', 'admitted'],
    ['enforced', bound, 'another', 'binding_not_proven'],
    ['enforced', bound, undefined, 'binding_not_proven'],
    ['enforced', () => forge.token(), undefined, 'admitted'],
    ['required', bound, 'thumbprint', 'admitted'],
    ['required', () => forge.token(), 'thumbprint', 'binding_not_proven'],
    ['enforced', () => forge.token({ cnf: { jkt: 'x' } }), 'x', 'binding_not_proven'],
    ['enforced', () => forge.token({ cnf: {} }), undefined, 'binding_not_proven'],
    ['enforced', () => forge.token({ cnf: null }), undefined, 'binding_not_proven'],
    ['enforced', () => forge.token({ cnf: 'x' }), 'x', 'binding_not_proven'],
    ['enforced', () => forge.token({ cnf: { 'x5t#S256': '' } }), '', 'binding_not_proven'],
    [
      'enforced',
      () => forge.token({ cnf: { 'x5t#S256': 'x', jkt: 'y' } }),
      'x',
      'binding_not_proven',
    ],
  ]
  for (const [certificateBinding, token, proven, expected] of rows) {
    it(`is ${expected} if bindings are ${certificateBinding} and the connection proves ${proven} (RS27)`, async () => {
      const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)), { certificateBinding })
      assert.equal(reasonOf(await ask(token(), 'CallHiApiRole', proven)), expected)
    })
  }

  it('is checked for its certificate at each request, even if it is cached', async () => {
    const { ask, guard } = guardIn(new VirtualRuntime(keySetOf(forge)), {
      certificateBinding: 'enforced',
    })
    const token = bound()
    for (const _ of ['noted', 'remembered']) {
      assert.equal(reasonOf(await ask(token, 'CallHiApiRole', 'thumbprint')), 'admitted')
    }
    assert.equal(guard.cachedTokens(), 1)
    assert.equal(reasonOf(await ask(token)), 'binding_not_proven')
  })
})
