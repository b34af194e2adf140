import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FailedLoginRateLimit } from '../../src/endpoints/failed-login-rate-limit.ts'
import { asProof, assertionOf, clientCertificate } from './client-certificate.ts'
import { testService } from './test-service.ts'

describe('the limit of failed logins', () => {
  it('allows a few refusals per minute for a client, then requires a wait (AS4)', () => {
    let nowMs = 0
    const limits = { perClientPerMinute: 3, perSourcePerMinute: 100 }
    const throttle = new FailedLoginRateLimit(limits, () => nowMs)
    for (let guess = 0; guess < 3; guess += 1)
      assert.equal(throttle.count('client', `source ${guess}`), undefined)
    assert.equal(throttle.count('client', 'another source'), 20)
    assert.equal(throttle.count('another client', 'another source'), undefined)
    nowMs = 20_000
    assert.equal(throttle.count('client', 'a third source'), undefined)
    assert.equal(throttle.count('client', 'a third source'), 20)
  })

  it('limits each source as well, so that a source cannot try many clients (BR2)', () => {
    const limits = { perClientPerMinute: 100, perSourcePerMinute: 3 }
    const throttle = new FailedLoginRateLimit(limits, () => 0)
    for (let guess = 0; guess < 3; guess += 1)
      assert.equal(throttle.count(`client ${guess}`, 'source'), undefined)
    assert.equal(throttle.count('client 3', 'source'), 20)
    assert.equal(throttle.count('client 3', 'another source'), undefined)
  })

  it('treats an assertion with an unknown key as a failed login of its client', async () => {
    const limits = { perClientPerMinute: 1, perSourcePerMinute: 100 }
    const { form, token } = await testService({
      throttle: new FailedLoginRateLimit(limits, () => 0),
    })
    const guess = async () => token(form(asProof(await assertionOf(await clientCertificate()))))
    assert.equal((await guess()).status, 401)
    assert.equal((await guess()).status, 429)
  })

  it('uses bounded memory for any number of clients and sources', () => {
    const limits = { perClientPerMinute: 1, perSourcePerMinute: 1 }
    const throttle = new FailedLoginRateLimit(limits, () => 0)
    for (let guess = 0; guess < 30_000; guess += 1) throttle.count(`c${guess}`, `s${guess}`)
    // The oldest buckets are deleted, the newest are not.
    assert.equal(throttle.count('c0', 's0'), undefined)
    assert.equal(throttle.count('c29999', 's29999'), 60)
  })

  it('never refuses the correct secret, and does not record every wrong one (BR1)', async () => {
    const service = await testService({
      throttle: new FailedLoginRateLimit({ perClientPerMinute: 5, perSourcePerMinute: 5 }, () => 0),
    })
    const statuses = new Map<number, number>()
    for (let guess = 0; guess < 200; guess += 1) {
      const { status, headers } = await service.token(service.form({ client_secret: `${guess}` }))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      if (guess % 20 === 0) assert.equal((await service.token(service.form())).status, 200)
    }
    assert.deepEqual(
      [...statuses],
      [
        [401, 5],
        [429, 195],
      ],
    )
    const refusals = service.audit.filter(({ outcome }) => outcome === 'refused')
    assert.equal(refusals.length, 5)
  })

  it('applies to unknown clients too (AS4)', async () => {
    const service = await testService({
      throttle: new FailedLoginRateLimit(
        { perClientPerMinute: 2, perSourcePerMinute: 100 },
        () => 0,
      ),
    })
    const form = service.form({ client_id: '99999999-0000-4000-8000-000000000000' })
    const statuses: number[] = []
    for (let guess = 0; guess < 4; guess += 1) statuses.push((await service.token(form)).status)
    assert.deepEqual(statuses, [400, 400, 429, 429])
  })

  it('does not treat an invalid request as a failed login', async () => {
    const service = await testService({
      throttle: new FailedLoginRateLimit(
        { perClientPerMinute: 1, perSourcePerMinute: 100 },
        () => 0,
      ),
    })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status } = await service.token(service.form({ scope: 'openid' }))
      assert.equal(status, 400)
    }
  })
})
