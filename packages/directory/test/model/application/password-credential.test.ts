import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../test/fixtures/directory/sample.ts'
import { createPassword, secretSha256 } from '../../../src/model/application/password-credential.ts'
import { timeText } from '../../../src/model/exact-time.ts'
import { type Runtime, systemRuntime } from '../../../src/model/runtime.ts'

const runtime: Runtime = {
  ...systemRuntime,
  now: () => new Date('2026-03-01T12:00:00Z'),
  newGuid: () => guid(7),
}

describe('a client secret', () => {
  it('has 256 random bits, is returned once and is stored as a hash (AS8)', () => {
    const { credential, secretText } = createPassword({}, systemRuntime)
    assert.equal(Buffer.from(secretText, 'base64url').length, 32)
    assert.deepEqual(credential.secretSha256, secretSha256(secretText))
    assert.equal(credential.hint, secretText.slice(0, 3))
    assert.ok(!JSON.stringify(credential).includes(secretText))
    assert.notEqual(createPassword({}, systemRuntime).secretText, secretText)
  })

  it('is valid for two years from now by default', () => {
    const { credential } = createPassword({ displayName: 'Job' }, runtime)
    const [start, end] = [credential.startDateTime, credential.endDateTime].map(timeText)
    assert.equal(+credential.startDateTime, Date.parse('2026-03-01T12:00:00Z'))
    assert.match(start ?? '', /^2026-03-01T12:00:00\.000\d{4}Z$/)
    assert.equal(end, start?.replace('2026', '2028'))
    assert.equal(credential.displayName, 'Job')
    assert.equal(credential.keyId, guid(7))
  })

  it('has the requested start and expiry', () => {
    const startDateTime = new Date('2026-04-01T00:00:00Z')
    const endDateTime = new Date('2026-05-01T00:00:00Z')
    const { credential } = createPassword({ startDateTime, endDateTime }, runtime)
    assert.equal(credential.startDateTime, startDateTime)
    assert.equal(credential.endDateTime, endDateTime)
  })
})
