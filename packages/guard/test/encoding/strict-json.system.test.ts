import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseStrictJson } from '../../src/encoding/strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))

describe('strict JSON', () => {
  const refused = [
    '{"a":1,"a":1}',
    '{"a":1,"a":{}}',
    '{"a":1,"\\u0061":2}',
    '{"a":1,"b":2,"a":3}',
    '[{"a":1,"a":2}]',
    '{"x":[{"y":{"a":1,"a":2}}]}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"constructor":1,"constructor":2}',
    '{"a" : 1 ,\n\t"a" : 2}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"\\"":1,"\\"":2}',
    `${'['.repeat(33)}${']'.repeat(33)}`,
    `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
    `${'[{"a":'.repeat(16)}[1]${'}]'.repeat(16)}`,
    `"${'['.repeat(40)}`,
    `${']'.repeat(40)}${'['.repeat(40)}`,
    '',
    ' ',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '01',
    '+1',
    'NaN',
    'Infinity',
    'undefined',
    '"\t"',
    '/**/1',
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text).slice(0, 50)} (RS16)`, () => {
      assert.equal(parse(text), undefined)
    })
  }

  const accepted = [
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":":","b":"\\":\\"","c":"{\\"c\\":1}"}',
    '{"a\\\\":1,"a":2}',
    '{"__proto__":{"a":1},"constructor":2}',
    '"a:b"',
    '" \\" : \\" "',
    `${'['.repeat(32)}${']'.repeat(32)}`,
    `${'[{"a":'.repeat(16)}1${'}]'.repeat(16)}`,
    `[${'[],{},'.repeat(40)}[]]`,
    `{"${'['.repeat(40)}":"${'{'.repeat(40)}"}`,
    'null',
    ' {"a" : 1 } ',
  ]
  for (const text of accepted) {
    it(`reads ${JSON.stringify(text).slice(0, 50)}`, () => {
      assert.deepEqual(parse(text), JSON.parse(text))
    })
  }

  it('refuses deep nesting before it parses (FL6)', (t) => {
    const unfold = t.mock.method(JSON, 'parse')
    assert.equal(parse('['.repeat(100_000) + ']'.repeat(100_000)), undefined)
    assert.equal(parse(`{"keys":[${'{"a":'.repeat(31)}1${'}'.repeat(31)}]}`), undefined)
    assert.equal(unfold.mock.callCount(), 0)
    assert.deepEqual(parse('[1]'), [1])
    assert.equal(unfold.mock.callCount(), 1)
  })

  it('reads every text that JSON.stringify can produce', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        assert.deepEqual(parse(text), JSON.parse(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses any object with a repeated member', () => {
    const member = fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(fc.array(member), member, fc.jsonValue(), (members, [name, value], other) => {
        const written = [[name, value], ...members, [name, other]]
          .map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`)
          .join(',')
        assert.equal(parse(`{"outer":[{${written}}]}`), undefined)
      }),
      { numRuns: 2000 },
    )
  })
})
