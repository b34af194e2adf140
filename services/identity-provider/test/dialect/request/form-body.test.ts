import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readForm } from '../../../src/dialect/request/form-body.ts'
import { RefusedError } from '../../../src/issuance/refusal.ts'

const codeOf = (body: string) => {
  try {
    readForm(body)
    return 'read'
  } catch (error) {
    assert.ok(error instanceof RefusedError)
    return error.code
  }
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
    ['a+b=c+d', [['a b', 'c d']]],
    ['a=%2B%2f%20', [['a', '+/ ']]],
    ['a=1=2', [['a', '1=2']]],
    ['a=%E2%82%AC', [['a', '€']]],
    ['__proto__=1', [['__proto__', '1']]],
  ]
  for (const [body, expected] of rows) {
    it(`'${body}' is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual([...readForm(body)], expected)
    })
  }

  it('leaves out what has no value (AS1)', () => {
    assert.deepEqual([...readForm('a=&b&c=1')], [['c', '1']])
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
    it(`'${body.slice(0, 20)}' is refused: ${code} (AS1, AS2)`, () =>
      assert.equal(codeOf(body), code))
  }

  it('of fifty parameters is read (AS2)', () => {
    const body = Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&')
    assert.equal(readForm(body).size, 50)
  })

  it('gives back whatever was encoded into it', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
    const pairs = fc.uniqueArray(fc.tuple(text, text), {
      selector: ([name]) => name,
      maxLength: 20,
    })
    fc.assert(
      fc.property(pairs, (given) => {
        assert.deepEqual([...readForm(new URLSearchParams(given).toString())], given)
      }),
    )
  })

  it('is read or refused, whatever it is, and nothing else happens', () => {
    const alphabet = fc.constantFrom(...'%&=+aAfF09\0é'.split(''))
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 200 }), (body) => {
        codeOf(body)
      }),
    )
  })
})
