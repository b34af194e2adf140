import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readForm } from '../../../src/dialect/request/form-body.ts'
import { Refused } from '../../../src/refusals/refusal.ts'
import { anyCharacter } from './any-character.ts'

const codeOf = (body: string) => {
  const form = readForm(body)
  return form instanceof Refused ? form.refusal.reason : 'read'
}

function pairsOf(body: string): [string, string][] {
  const form = readForm(body)
  assert.ok(!(form instanceof Refused))
  return [...form]
}

describe('a form', () => {
  const rows: [string, [string, string][]][] = [
    ['', []],
    ['a=1', [['a', '1']]],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [`${'&'.repeat(60)}a=1`, [['a', '1']]],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a=%2B%2f%20', [['a', '+/ ']]],
    ['a=1=2', [['a', '1=2']]],
    ['a=%E2%82%AC', [['a', '€']]],
    ['__proto__=1', [['__proto__', '1']]],
  ]
  for (const [body, expected] of rows) {
    it(`reads '${body}' as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(pairsOf(body), expected)
    })
  }

  it('omits parameters without a value (AS1)', () => {
    assert.deepEqual(pairsOf('a=&b&c=1'), [['c', '1']])
  })

  const refused: [string, string][] = [
    ['a=1&a=2', 'parameter_repeated'],
    ['a=1&a=1', 'parameter_repeated'],
    ['a=&a=1', 'parameter_repeated'],
    ['a=1&%61=2', 'parameter_repeated'],
    ['a=%', 'parameter_malformed'],
    ['a=%zz', 'parameter_malformed'],
    ['a=%C3%28', 'parameter_malformed'],
    ['%ff=1', 'parameter_malformed'],
    [Array.from({ length: 51 }, (_, index) => `p${index}=1`).join('&'), 'too_many_parameters'],
  ]
  for (const [body, code] of refused) {
    it(`refuses '${body.slice(0, 20)}': ${code} (AS1, AS2)`, () => assert.equal(codeOf(body), code))
  }

  it('may have fifty parameters (AS2)', () => {
    const body = Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&')
    assert.equal(pairsOf(body).length, 50)
  })

  it('decodes every percent-encoded byte pair', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 })
    // The names of parameters have no case in ASCII.
    const name = text.map((one) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
    const pairs = fc.uniqueArray(fc.tuple(name, text), {
      selector: ([unique]) => unique,
      maxLength: 20,
    })
    fc.assert(
      fc.property(pairs, (expected) => {
        assert.deepEqual(pairsOf(new URLSearchParams(expected).toString()), expected)
      }),
    )
  })

  it('is either read or refused, without an exception', () => {
    const alphabet = fc.constantFrom(...'%&=+aAfF09\0é'.split(''))
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 200 }), (body) => {
        codeOf(body)
      }),
    )
  })
})
