import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CompactSign } from 'jose'
import { guid } from '../../../../test/fixtures/directory/sample.ts'
import { collectAssertionFacts } from '../../src/issuance/assertion-facts.ts'
import type { AssertionFacts } from '../../src/issuance/client-authentication.ts'
import { clientCertificate } from '../endpoints/client-certificate.ts'
import {
  audience,
  clientId,
  directoryOf,
  epochSeconds,
  now,
  ofIssuer,
  requestOf,
  rulesOf,
  type Situation,
  second,
} from './token-situation.ts'

describe('the facts about an assertion', () => {
  const asked: string[] = []
  const collect = (row: Situation, answer = true) =>
    collectAssertionFacts(
      { read: (decide) => decide(directoryOf(row)) },
      requestOf(row),
      rulesOf(row),
      {
        verifyFederated: async () => {
          asked.push('issuer')
          return 'valid'
        },
        recordUse: async (_, jti) => {
          asked.push(jti)
          return answer
        },
      },
      now,
    )

  const rows: [string, Situation, AssertionFacts, string[]][] = [
    ['are empty for a secret', {}, {}, []],
    ['are empty for an unknown client', { assertion: {}, request: { clientId: guid(9) } }, {}, []],
    ['are empty for an unknown tenant', { assertion: {}, request: { tenant: guid(9) } }, {}, []],
    [
      'are empty for a public client',
      { assertion: ofIssuer(), client: { isFallbackPublicClient: true } },
      {},
      [],
    ],
    [
      'request nothing from an issuer without a federated credential',
      { assertion: ofIssuer({ sub: 'other' }) },
      {},
      [],
    ],
    [
      'use the keys of an issuer with a federated credential',
      { assertion: ofIssuer() },
      { signature: 'valid' },
      ['issuer'],
    ],
    [
      'record the use of a federated assertion',
      { assertion: ofIssuer({ jti: 'two' }), usesAssertionsOnce: true },
      { signature: 'valid', isFirstUse: true },
      ['issuer', 'two'],
    ],
    [
      'do not record an assertion with an invalid signature',
      { assertion: {}, usesAssertionsOnce: true },
      { signature: 'invalid' },
      [],
    ],
  ]
  for (const [what, row, expected, expectedAsked] of rows) {
    it(what, async () => {
      asked.length = 0
      assert.deepEqual(await collect(row), expected)
      assert.deepEqual(asked, expectedAsked)
    })
  }

  it('contain a valid signature and a first use, but no use if the assertion has expired', async () => {
    const { credential, privateKey } = await clientCertificate()
    const keyCredentials = [{ ...credential, startDateTime: second(-9), endDateTime: second(9) }]
    const signed = (exp: number) =>
      new CompactSign(
        Buffer.from(JSON.stringify({ iss: clientId, sub: clientId, aud: audience, exp, jti: 'j' })),
      )
        .setProtectedHeader({ alg: 'PS256', 'x5t#S256': credential.sha256Thumbprint })
        .sign(privateKey)
    const factsOf = async (exp: number, answer: boolean) => {
      const assertion = await signed(exp)
      return collect({ assertion, client: { keyCredentials }, usesAssertionsOnce: true }, answer)
    }
    const valid = { signature: 'valid' }
    assert.deepEqual(await factsOf(epochSeconds + 60, true), { ...valid, isFirstUse: true })
    assert.deepEqual(await factsOf(epochSeconds + 60, false), { ...valid, isFirstUse: false })
    assert.deepEqual(await factsOf(epochSeconds - 61, true), valid)
  })
})
