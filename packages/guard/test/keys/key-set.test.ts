import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readKeySet } from '../../src/keys/key-set.ts'
import type { VerificationKey } from '../../src/keys/verification-key.ts'
import { type Json, keySetOf, TokenFactory } from '../token-factory.ts'

const first = new TokenFactory('first')
const second = new TokenFactory('second')
const secondAsFirst: Json = { ...second.jwk, kid: 'first' }

const read = (
  text: string | Uint8Array,
  previous: ReadonlyMap<string, VerificationKey> = new Map(),
) => readKeySet(Buffer.from(text), undefined, previous)

const kids = (set: ReturnType<typeof read>) =>
  typeof set === 'string' || 'fault' in set ? faultOf(set) : [...set.keys.keys()]

const faultOf = (set: ReturnType<typeof read>) =>
  typeof set === 'string' ? set : 'fault' in set ? set.fault : 'usable'

describe('a key set', () => {
  it('lists its usable keys by kid, and the reasons for the unused keys', () => {
    const set = read(keySetOf(first, { kty: 'EC', kid: 'ec' }, second, { ...second.jwk, kid: 1 }))
    assert.deepEqual(kids(set), ['first', 'second'])
    assert.ok(typeof set !== 'string' && !('fault' in set))
    assert.deepEqual(set.unused, [
      { kid: 'ec', fault: 'type_not_rsa' },
      { kid: undefined, fault: 'kid_unusable' },
    ])
  })

  const faults: [name: string, text: string | Uint8Array, fault: string][] = [
    ['that is empty', '', 'not_json'],
    ['that is HTML', '<!doctype html><title>Sign in</title>', 'not_json'],
    ['with trailing content', `${keySetOf(first)}x`, 'not_json'],
    ['with a byte order mark', `\ufeff${keySetOf(first)}`, 'not_json'],
    [
      'with bytes that are not UTF-8',
      Buffer.from(keySetOf(first).replace('first', '\xff'), 'latin1'),
      'not_json',
    ],
    ['with a repeated member', keySetOf(first).replace('{"keys"', '{"keys":[],"keys"'), 'not_json'],
    [
      'with a repeated member in a key',
      keySetOf(first).replace('"kty"', '"kid":"x","kty"'),
      'not_json',
    ],
    [
      'that nests 100,000 deep (CVE-2025-53864)',
      '['.repeat(100_000) + ']'.repeat(100_000),
      'not_json',
    ],
    ['that is an array', '[]', 'not_a_key_set'],
    ['that is null', 'null', 'not_a_key_set'],
    ['without keys', '{}', 'not_a_key_set'],
    ['whose keys are an object', '{"keys":{}}', 'not_a_key_set'],
    ['without any key', '{"keys":[]}', 'no_usable_key'],
    ['with only keys of other types', keySetOf({ kty: 'EC', kid: 'ec' }), 'no_usable_key'],
    ['with only private keys', keySetOf({ ...first.jwk, d: 'AQAB' }), 'no_usable_key'],
    ['with only keys for encryption', keySetOf({ ...first.jwk, use: 'enc' }), 'no_usable_key'],
    ['with only different keys of one kid', keySetOf(first, secondAsFirst), 'no_usable_key'],
    ['with only values that are not keys', '{"keys":[null,1,"x",[]]}', 'no_usable_key'],
  ]
  for (const [name, text, fault] of faults) {
    it(`${name} is ${fault} (FL7)`, () => {
      assert.equal(faultOf(read(text)), fault)
    })
  }

  // The reader of the bytes refuses the longest of these before.
  const sizes: [published: number, used: number, named: number][] = [
    [100, 100, 0],
    [101, 101, 0],
    [1000, 1000, 0],
    [1001, 1000, 1],
    [3000, 1000, 1000],
  ]
  for (const [published, used, named] of sizes) {
    it(`with ${published} keys is accepted: ${used} are used, and ${named} are named (FL7)`, () => {
      const set = read(
        keySetOf(
          ...Array.from({ length: published }, (_, index) => ({ ...first.jwk, kid: `${index}` })),
        ),
      )
      assert.ok(typeof set !== 'string' && !('fault' in set))
      assert.equal(set.keys.size, used)
      assert.equal(set.unused.length, named)
      for (const [index, one] of set.unused.entries()) {
        assert.deepEqual(one, { kid: `${used + index}`, fault: 'too_many_keys' })
      }
    })
  }

  it('names both kinds of unusable keys if it exceeds the limit', () => {
    const set = read(JSON.stringify({ keys: Array(1002).fill({ kty: 'EC', kid: 'ec' }) }))
    assert.ok(typeof set !== 'string' && 'fault' in set)
    assert.equal(set.unused.length, 1002)
    assert.deepEqual(
      new Set(set.unused.map(({ fault }) => fault)),
      new Set(['too_many_keys', 'type_not_rsa']),
    )
  })

  it('uses neither of two different keys with the same kid, but all others (FL7)', () => {
    const set = read(keySetOf(first, second, secondAsFirst))
    assert.deepEqual(kids(set), ['second'])
    assert.ok(typeof set !== 'string' && !('fault' in set))
    assert.deepEqual(set.unused, [{ kid: 'first', fault: 'kid_ambiguous' }])
    const none = read(keySetOf(first, secondAsFirst, first))
    assert.deepEqual(none, {
      fault: 'no_usable_key',
      unused: [{ kid: 'first', fault: 'kid_ambiguous' }],
    })
  })

  it('uses a key that appears twice', () => {
    assert.deepEqual(kids(read(keySetOf(first, first))), ['first'])
  })

  it('keeps the same key object only for the same key material', () => {
    const before = read(keySetOf(first, second))
    assert.ok(typeof before !== 'string' && !('fault' in before))
    const after = read(keySetOf(secondAsFirst, second), before.keys)
    assert.ok(typeof after !== 'string' && !('fault' in after))
    assert.equal(after.keys.get('second'), before.keys.get('second'))
    assert.notEqual(after.keys.get('first'), before.keys.get('first'))
  })
})
