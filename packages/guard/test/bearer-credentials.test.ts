import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCredentials } from '../src/bearer-credentials.ts'

const rows: [authorization: string | readonly string[] | undefined, expected: string][] = [
  [undefined, 'no_credentials'],
  ['', 'no_credentials'],
  ['Basic eA==', 'no_credentials'],
  ['Bearerabc', 'no_credentials'],
  ['Bearer\tabc', 'no_credentials'],
  ['abc', 'no_credentials'],
  ['DPoP abc', 'no_credentials'],
  ['Digest username="x", uri="/bearer"', 'no_credentials'],
  ['Bearer', 'credentials_malformed'],
  ['bearer', 'credentials_malformed'],
  ['Bearer ', 'credentials_malformed'],
  ['Bearer    ', 'credentials_malformed'],
  ['Bearer  abc def', 'credentials_malformed'],
  ['Bearer \tabc', 'credentials_malformed'],
  ['Bearer  \tabc', 'credentials_malformed'],
  ['Bearer  abc ', 'credentials_malformed'],
  ['Bearer abc def', 'credentials_malformed'],
  ['Bearer abc ', 'credentials_malformed'],
  ['Bearer abc, Bearer def', 'credentials_malformed'],
  ['Basic eA==, Bearer abc', 'credentials_repeated'],
  ['Basic eA==,bearer abc', 'credentials_repeated'],
  [[], 'no_credentials'],
  [['Bearer abc'], 'abc'],
  [['Bearer abc', 'Bearer abc'], 'credentials_repeated'],
  [['Basic eA==', 'Bearer abc'], 'credentials_repeated'],
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER abc', 'abc'],
  ['Bearer  abc', 'abc'],
  ['bearer      abc', 'abc'],
  [`Bearer${' '.repeat(8000)}abc`, 'abc'],
  ['Bearer a.b.c', 'a.b.c'],
  ['Bearer abc,def', 'abc,def'],
]

describe('an Authorization field', () => {
  for (const [authorization, expected] of rows) {
    it(`with ${JSON.stringify(authorization)} results in ${expected} (RS21, RS25)`, () => {
      const credentials = readCredentials({ authorization, target: '/hi' })
      assert.equal('token' in credentials ? credentials.token : credentials.reason, expected)
    })
  }
})

describe('a request target', () => {
  const targets: [target: string, expected: string][] = [
    ['/hi', 'abc'],
    ['/hi?', 'abc'],
    ['/hi?name=access', 'abc'],
    ['/hi?name=access_token', 'abc'],
    ['/hi?my_access_token=x', 'abc'],
    ['/hi?Access_Token=x', 'abc'],
    ['/access_token=x', 'abc'],
    ['/hi?name=50%', 'abc'],
    ['/hi?access_token=x', 'token_in_query'],
    ['/hi?access_token', 'token_in_query'],
    ['/hi?access_token=', 'token_in_query'],
    ['/hi?name=x&access_token=x', 'token_in_query'],
    ['/hi?access%5Ftoken=x', 'token_in_query'],
    ['/hi?%61ccess_token=x', 'token_in_query'],
    ['/hi?%61%63%63%65%73%73%5f%74%6f%6b%65%6e=x', 'token_in_query'],
    ['https://api.example/hi?access_token=x', 'token_in_query'],
    ['/hi?a=1#?access_token=x', 'abc'],
  ]
  for (const [target, expected] of targets) {
    it(`of ${target} results in ${expected} (RS22)`, () => {
      const credentials = readCredentials({ authorization: 'Bearer abc', target })
      assert.equal('token' in credentials ? credentials.token : credentials.reason, expected)
    })
  }
})
