import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLabPassword, createPassword, systemRuntime } from '@greeting/directory'
import { application, servicePrincipal } from '../../../../test/fixtures/directory/sample.ts'
import {
  authenticateBySecret,
  matchingCredential,
} from '../../src/issuance/secret-authentication.ts'
import { Refused } from '../../src/refusals/refusal.ts'

const at = (text: string) => new Date(text)
const made = createPassword(
  { startDateTime: at('2026-01-01T00:00:00Z'), endDateTime: at('2027-01-01T00:00:00Z') },
  systemRuntime,
)
const client = (part = {}) => ({
  application: application({ passwordCredentials: [made.credential], ...part }),
  principal: servicePrincipal(),
})

const toleranceSeconds = 60

const outcome = (now: string, secret = made.secretText, part = {}) => {
  const match = matchingCredential(client(part), secret, false)
  const result = authenticateBySecret(client(part), match, at(now), toleranceSeconds)
  return result instanceof Refused ? result.refusal.reason : result.keyId
}

const { keyId } = made.credential
const rows: [string, string, string][] = [
  ['at its first moment', '2026-01-01T00:00:00.000Z', keyId],
  ['by a clock that is late within the tolerance', '2025-12-31T23:59:00.000Z', keyId],
  [
    'by a clock that is later than the tolerance',
    '2025-12-31T23:58:59.999Z',
    'secret_not_yet_valid',
  ],
  ['at its last moment', '2026-12-31T23:59:59.999Z', keyId],
  ['after its last moment, with any tolerance', '2027-01-01T00:00:00.000Z', 'secret_expired'],
]

describe('a secret', () => {
  for (const [when, now, expected] of rows) {
    it(`is ${expected === keyId ? 'good' : expected} ${when}`, () => {
      assert.equal(outcome(now), expected)
    })
  }

  it('of the service principal authenticates the client under the same rules', () => {
    const outcomeOf = (part = {}) => {
      const principal = servicePrincipal({ passwordCredentials: [made.credential] })
      const own = { application: application(part), principal }
      const match = matchingCredential(own, made.secretText, false)
      const result = authenticateBySecret(own, match, at('2026-06-01T00:00:00Z'), toleranceSeconds)
      return result instanceof Refused ? result.refusal.reason : result.keyId
    }
    assert.equal(outcomeOf(), keyId)
    assert.equal(outcomeOf({ passwordAuthenticationAllowed: false }), 'secret_not_allowed')
  })

  it('is never reported as expired if it is wrong', () => {
    assert.equal(outcome('2030-01-01T00:00:00Z', 'wrong'), 'secret_wrong')
    assert.equal(outcome('2020-01-01T00:00:00Z', 'wrong'), 'secret_wrong', 'nor as too new')
  })

  it('is refused, correct or wrong, when secrets are disabled (AS10)', () => {
    const off = { passwordAuthenticationAllowed: false }
    for (const secret of [made.secretText, 'wrong'])
      assert.equal(outcome('2026-06-01T00:00:00Z', secret, off), 'secret_not_allowed')
  })

  it('is found among other secrets, and matches nothing for an unknown client (AS8)', () => {
    const others = Array.from({ length: 3 }, () => createPassword({}, systemRuntime).credential)
    const many = client({ passwordCredentials: [...others, made.credential] })
    assert.equal(matchingCredential(many, made.secretText, false)?.keyId, keyId)
    assert.equal(matchingCredential(undefined, made.secretText, false), undefined)
    assert.equal(matchingCredential(client({ passwordCredentials: [] }), '', false), undefined)
  })

  it('is accepted only by a server with a lab if a test chose it', () => {
    const chosen = createLabPassword({}, 'chosen-by-a-test', systemRuntime).credential
    const both = client({ passwordCredentials: [chosen, made.credential] })
    const found = (secret: string, hasLab: boolean) =>
      matchingCredential(both, secret, hasLab)?.keyId
    assert.equal(found('chosen-by-a-test', true), chosen.keyId)
    assert.equal(found(made.secretText, true), keyId)
    for (const text of ['chosen-by-a-test', 'ÿchosen-by-a-test', '\udcffchosen-by-a-test'])
      assert.equal(found(text, false), undefined)
    assert.equal(found('chosen-by-a-tesT', true), undefined)
    assert.equal(chosen.hint, '')
  })

  it('takes as long to refuse for an unknown client as for a known one (BR2, CVE-2026-59276)', () => {
    const one = client()
    const tries: [typeof one | undefined, number[]][] = [
      [one, []],
      [undefined, []],
    ]
    // Interleaved, so that other load of the machine affects both.
    for (let round = 0; round < 400; round += 1) {
      for (const [who, times] of tries) {
        const begun = performance.now()
        for (let guess = 0; guess < 25; guess += 1)
          matchingCredential(who, `wrong secret ${guess}`, false)
        times.push(performance.now() - begun)
      }
    }
    const [known = 1, unknown = 1] = tries.map(
      ([, times]) => times.sort((a, b) => a - b)[times.length / 2],
    )
    assert.ok(Math.abs(known - unknown) / known < 0.25, `${known} ms and ${unknown} ms`)
  })
})
