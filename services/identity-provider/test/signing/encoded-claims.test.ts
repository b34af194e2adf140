import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeClaims } from '../../src/signing/token-signer.ts'

const plainly = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')

/** A frozen list that counts how often it is serialized. */
function countedList(values: readonly string[]) {
  let serialized = 0
  const toJSON = () => {
    serialized += 1
    return values
  }
  const list = Object.freeze(Object.assign([...values], { toJSON }))
  return { list, serialized: () => serialized }
}

const lists: readonly (readonly [string, readonly string[]])[] = [
  ['no value', []],
  ['one short value', ['a']],
  ['values with quotes and backslashes', ['a"b', '\\', '\\"],"sub":"other', '"roles":[]']],
  ['values beyond ASCII', ['é', '漢字', '😀', '\ud800', '\u2028', '\u0000\n']],
  ['replacement patterns', ['$&', "$'", '$1']],
  ['1,000 values', Array.from({ length: 1000 }, (_, number) => `Role.${number}`)],
]

describe('claims with a frozen list have the same bytes as without a cache', () => {
  for (const [what, values] of lists) {
    it(`if the list has ${what}, at each offset, on first and repeated use`, () => {
      const list = Object.freeze([...values])
      for (const aud of ['', 'a', 'ab', 'abc', 'é"roles":[]', '{"roles":[]}', '漢']) {
        for (const after of [{}, { sub: 'x' }, { sub: '"roles":[]漢', ver: undefined }]) {
          for (const claims of [
            { aud, roles: list, ...after },
            { roles: list, ...after },
            { aud, roles: [...values], ...after },
          ]) {
            assert.equal(encodeClaims(claims), plainly(claims))
            assert.equal(encodeClaims(claims), plainly(claims))
          }
        }
      }
    })
  }
})

describe('a list in the claims', () => {
  it('is serialized once for many tokens if it is frozen', () => {
    const { list, serialized } = countedList(['One', 'Two'])
    for (let iat = 1000; iat < 1100; iat += 1) encodeClaims({ iat, roles: list })
    assert.equal(serialized(), 1)
  })

  it('is serialized for each token if it is not frozen', () => {
    const roles = ['One']
    encodeClaims({ roles })
    roles[0] = 'Two'
    assert.equal(encodeClaims({ roles }), plainly({ roles: ['Two'] }))
  })
})
