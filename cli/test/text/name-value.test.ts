import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addNameValue } from '../../src/commands/lab.ts'

describe('an option of the form name=value', () => {
  const rows: readonly (readonly [text: string, members: object])[] = [
    ['ver=1.0', { ver: 1 }],
    ['aud=api://orders', { aud: 'api://orders' }],
    ['roles=["Orders.Read"]', { roles: ['Orders.Read'] }],
    ['exp=null', { exp: null }],
    ['a=b=c', { a: 'b=c' }],
    ['empty=', { empty: '' }],
  ]
  for (const [text, members] of rows)
    it(`is JSON or text: ${text}`, () => {
      assert.deepEqual(addNameValue(text), members)
    })

  it('is added to the options before it', () => {
    assert.deepEqual(addNameValue('b=2', { a: 1 }), { a: 1, b: 2 })
  })

  for (const text of ['ver', '=1', ''])
    it(`is refused without a name: "${text}"`, () => {
      assert.throws(() => addNameValue(text), { message: 'The form is name=value' })
    })
})
