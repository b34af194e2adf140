import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createGuard, entra, type GuardEvent } from '@greeting/guard'
import { logGuardEvents } from '@greeting/http-service/guarded'
import { type Level, pino } from 'pino'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'

type Failed = Extract<GuardEvent, { type: 'key_set_refresh_failed' }>

/** The event of a guard that cannot load its keys. */
function failureWith(options: { keySetUrl: string; fetch?: typeof fetch }): Promise<Failed> {
  return new Promise((resolve) => {
    const { keySetUrl, ...runtime } = options
    const guard = createGuard(
      entra({
        tenantId,
        apiApplicationId,
        keySetUrl,
        roles: ['CallHiApiRole'],
        listener: (event) => {
          if (event.type !== 'key_set_refresh_failed') return
          guard.stop()
          resolve(event)
        },
      }),
      runtime,
    )
    void guard.start()
  })
}

/** Returns the log of one event. */
function logOf(event: GuardEvent, level: Level = 'info'): string {
  let log = ''
  const stream = {
    write: (text: string) => {
      log += text
    },
  }
  logGuardEvents(pino({ base: null, timestamp: false, level }, stream))(event)
  return log
}

describe('the log of a failed key set refresh', () => {
  it("is one line with the code, the message and the cause's code, without a stack", async () => {
    const closedServer = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => closedServer.once('listening', listening))
    const keySetUrl = `http://127.0.0.1:${(closedServer.address() as AddressInfo).port}/keys`
    await new Promise((closed) => closedServer.close(closed))
    const log = logOf(await failureWith({ keySetUrl }))
    const { nextAttemptMs, ...line } = JSON.parse(log)
    assert.ok(Number.isInteger(nextAttemptMs))
    assert.deepEqual(line, {
      level: 40,
      url: keySetUrl,
      code: 'unreachable',
      reason: `the key set at ${keySetUrl} could not be read`,
      causeCode: 'ECONNREFUSED',
      msg: 'key set could not be refreshed',
    })
    assert.equal(log.split('\n').length, 2)
  })

  it('contains no message and no property of a cause, and no malformed code', async () => {
    const headers = { authorization: 'Bearer canary' }
    const cause = Object.assign(new Error('canary'), { headers, code: 'canary 7' })
    const fetch = async () => {
      throw Object.assign(new TypeError('fetch failed for canary', { cause }), { request: headers })
    }
    const log = logOf(await failureWith({ keySetUrl: 'https://keys.example/keys', fetch }))
    assert.equal(JSON.parse(log).causeCode, undefined)
    assert.doesNotMatch(log, /canary|stack|guard-log/)
  })

  it('contains the code and the message of an error without a cause', async () => {
    const fetch = async () => new Response('no', { status: 500 })
    const log = logOf(await failureWith({ keySetUrl: 'https://keys.example/keys', fetch }))
    assert.partialDeepStrictEqual(JSON.parse(log), {
      code: 'bad_status',
      reason: 'the request for the key set got the status 500',
    })
  })
})

describe('the guard log', () => {
  const decision: GuardEvent = { type: 'refused', reason: 'no_credentials' }
  const keyGone: GuardEvent = { type: 'key_gone', url: 'https://keys.example/keys', kid: 'old' }
  const stale: GuardEvent = { type: 'key_set_stale', url: 'https://keys.example/keys' }
  const rows: readonly [string, GuardEvent, Level, number | undefined][] = [
    ['a decision at level debug', decision, 'debug', 20],
    ['no decision at level info', decision, 'info', undefined],
    ['a removed key at level info', keyGone, 'info', 30],
    ['no removed key at level warn', keyGone, 'warn', undefined],
    ['an outdated key set at level error', stale, 'error', 50],
  ]
  for (const [what, event, level, expected] of rows) {
    it(`contains ${what}`, () => {
      const log = logOf(event, level)
      assert.equal(log === '' ? undefined : JSON.parse(log).level, expected)
    })
  }
})
