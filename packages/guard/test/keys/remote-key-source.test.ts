import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type GuardEvent, KeySetError, type Runtime } from '../../src/index.ts'
import { RemoteKeySource } from '../../src/keys/remote-key-source.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, TokenFactory } from '../token-factory.ts'

const first = new TokenFactory('first')
const second = new TokenFactory('second')

const settings = {
  url: 'https://login.example/keys',
  tenantId: undefined,
  refreshSeconds: 3600,
  cooldownSeconds: 30,
  ceilingSeconds: 86_400,
  timeoutMs: 5000,
}

const sourceIn = (environment: VirtualRuntime) => {
  const events: GuardEvent[] = []
  const source = new RemoteKeySource(settings, environment, (event) => events.push(event))
  return { source, events, kids: () => [...source.keys.keys()] }
}

const secondsOf = (environment: VirtualRuntime) =>
  environment.fetched.map(({ atMs }) => (atMs - 5000) / 1000)

describe('a key source', () => {
  it('has keys after its first attempt', async () => {
    const { source, kids } = sourceIn(new VirtualRuntime(keySetOf(first, second)))
    assert.equal(source.isUsable, false)
    await source.start()
    assert.deepEqual(kids(), ['first', 'second'])
    assert.equal(source.isUsable, true)
    assert.equal(source.isConfirmed, true)
  })

  it('refreshes every hour, randomly up to a tenth earlier', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    assert.deepEqual(environment.scheduledMs, [3_600_000])
    environment.randomNumber = 0.5
    await environment.pass(3600)
    assert.deepEqual(secondsOf(environment), [0, 3600])
    assert.deepEqual(environment.scheduledMs, [3_420_000])
  })

  it('reports added and removed keys', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source, events } = sourceIn(environment)
    await source.start()
    const key = source.keys.get('first')
    environment.publish(keySetOf(second))
    await environment.pass(3600)
    assert.equal(key?.isPublished, false)
    const told = events.flatMap((event) => ('kid' in event ? [`${event.type} ${event.kid}`] : []))
    assert.deepEqual(told, ['key_added first', 'key_gone first', 'key_added second'])
  })

  it('reports why each key is unusable if none is usable, once for the same keys', async () => {
    const encryption = { ...first.jwk, use: 'enc', kid: 'evil\u001b[2J' }
    const environment = new VirtualRuntime(
      keySetOf({ ...second.jwk, kid: 1 }, encryption, encryption),
    )
    const { source, events } = sourceIn(environment)
    await source.start()
    const failures = () => events.filter(({ type }) => type === 'key_set_refresh_failed')
    const unused = () =>
      events.flatMap((event) => (event.type === 'key_unused' ? [[event.kid, event.fault]] : []))
    const expected = [
      [undefined, 'kid_unusable'],
      [encryption.kid, 'use_not_signature'],
      [encryption.kid, 'use_not_signature'],
    ]
    assert.deepEqual(unused(), expected)
    const [failure] = failures()
    assert.ok(failure?.type === 'key_set_refresh_failed')
    assert.equal(failure.error.code, 'no_usable_key')
    assert.deepEqual(
      failure.error.unused.map(({ kid, fault }) => [kid, fault]),
      expected,
    )
    // The key IDs come from another server, so they are not in the message.
    assert.equal(
      failure.error.message,
      `the key set at ${settings.url}: no_usable_key (1 with kid_unusable, 2 with use_not_signature)`,
    )
    await environment.pass(60)
    assert.ok(failures().length > 2)
    assert.equal(unused().length, 3)
    environment.publish(keySetOf({ ...second.jwk, use: 'enc' }))
    await environment.pass(60)
    assert.equal(unused().length, 4)
  })

  it('keeps the same key object if the key is published again', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    const key = source.keys.get('first')
    environment.publish(keySetOf(second, first))
    await environment.pass(3600)
    assert.equal(source.keys.get('first'), key)
    assert.equal(key?.isPublished, true)
  })

  it('refreshes without timers when a request finds outdated keys', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source, kids } = sourceIn(environment)
    await source.start()
    environment.publish(keySetOf(second))
    for (const seconds of [3599, 1]) {
      environment.dropTimers()
      await environment.pass(seconds)
      source.update()
      source.update()
    }
    assert.equal(environment.kept.length, 1)
    await environment.kept[0]
    assert.deepEqual(secondsOf(environment), [0, 3600])
    assert.deepEqual(kids(), ['second'])
  })

  it('wraps an unexpected error, and keeps it as the cause', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const events: GuardEvent[] = []
    const broken = new TypeError('no such function')
    let isBroken = true
    const runtime: Runtime = {
      ...environment,
      schedule: (delayMs, task) => {
        if (!isBroken) return environment.schedule(delayMs, task)
        isBroken = false
        throw broken
      },
    }
    await new RemoteKeySource(settings, runtime, (event) => events.push(event)).start()
    const [failed] = events
    assert.ok(failed?.type === 'key_set_refresh_failed')
    assert.ok(failed.error instanceof KeySetError)
    assert.deepEqual([failed.error.code, failed.error.unused], ['unreachable', []])
    assert.equal(failed.error.cause, broken)
  })

  it('keeps a pending request for an unknown key alive, because others wait for it', () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    const attempt = source.refreshForUnknownKey()
    assert.equal(source.refreshForUnknownKey(), attempt)
    assert.deepEqual(environment.kept, [attempt])
  })

  it('starts again without timers after an attempt that never settles', async () => {
    const environment = new VirtualRuntime(() => new Promise(() => {}))
    const { source, kids } = sourceIn(environment)
    void source.start()
    environment.dropTimers()
    await environment.pass(9.9)
    environment.publish(keySetOf(first))
    void source.start()
    await environment.pass(0.1)
    void source.start()
    await environment.settle()
    assert.deepEqual(secondsOf(environment), [0, 10])
    assert.deepEqual(kids(), ['first'])
  })

  it('does not refresh keys after it is stopped', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    source.stop()
    await environment.pass(7200)
    source.update()
    assert.deepEqual(secondsOf(environment), [0])
  })

  it('has one attempt in progress for any number of callers', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    const attempts = [
      source.start(),
      source.start(),
      source.refreshForUnknownKey(),
      source.refreshForUnknownKey(),
    ]
    await Promise.all(attempts)
    assert.equal(environment.fetched.length, 1)
  })

  it('refreshes for an unknown kid once the cooldown since the last attempt has passed', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    await environment.pass(29.9)
    assert.equal(source.refreshForUnknownKey(), undefined)
    await environment.pass(0.1)
    await source.refreshForUnknownKey()
    assert.equal(source.refreshForUnknownKey(), undefined)
    assert.deepEqual(secondsOf(environment), [0, 30])
  })

  it('starts the cooldown even after a failed attempt', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    environment.goDown()
    await environment.pass(30)
    await source.refreshForUnknownKey()
    assert.equal(source.isConfirmed, false)
    assert.equal(source.refreshForUnknownKey(), undefined)
    assert.equal(environment.fetched.length, 2)
  })

  it('keeps the last good key set after failures, and retries after 1, 2, 4 ... 30 s', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source, kids } = sourceIn(environment)
    await source.start()
    environment.goDown()
    await environment.pass(3600 + 120)
    assert.deepEqual(kids(), ['first'])
    assert.equal(source.isUsable, true)
    const after = secondsOf(environment).map((second) => second - 3600)
    assert.deepEqual(after.slice(1), [0, 1, 3, 7, 15, 31, 61, 91])
  })

  it('spreads its retries randomly, up to a fifth earlier', async () => {
    const environment = new VirtualRuntime(() => Promise.reject(new Error('down')))
    environment.randomNumber = 0.999
    const { source } = sourceIn(environment)
    await source.start()
    assert.ok(Math.abs((environment.scheduledMs[0] ?? 0) - 800) < 1)
  })

  it('finds a provider within 2 s after the provider starts, if it has no keys (FL1)', async () => {
    const environment = new VirtualRuntime(() => Promise.reject(new Error('down')))
    const { source, kids } = sourceIn(environment)
    await source.start()
    await environment.pass(600)
    environment.publish(keySetOf(first))
    await environment.pass(2)
    assert.deepEqual(kids(), ['first'])
  })

  it('becomes unusable above the maximum age of its key set, until a refresh (FL3)', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source, events } = sourceIn(environment)
    await source.start()
    environment.goDown()
    await environment.pass(86_399)
    assert.equal(source.isUsable, true)
    await environment.pass(1)
    assert.equal(source.isUsable, false)
    await environment.pass(300)
    assert.equal(events.filter(({ type }) => type === 'key_set_stale').length, 1)
    environment.publish(keySetOf(first))
    await environment.pass(30)
    assert.equal(source.isUsable, true)
  })

  it('returns the time until the next attempt', async () => {
    const environment = new VirtualRuntime(() => Promise.reject(new Error('down')))
    const { source } = sourceIn(environment)
    await source.start()
    assert.equal(source.retryAfterSeconds, 1)
    await environment.pass(1)
    assert.equal(source.retryAfterSeconds, 2)
    await environment.pass(1.5)
    assert.equal(source.retryAfterSeconds, 1)
  })

  it('does not depend on the wall clock (FL12)', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    for (const jump of [3600, -7200, 365 * 86_400, -730 * 86_400]) {
      environment.setWallClock(jump)
      await environment.pass(1)
      assert.equal(source.isUsable, true)
      assert.equal(source.refreshForUnknownKey(), undefined)
    }
    assert.equal(environment.fetched.length, 1)
    await environment.pass(3600 - 4)
    assert.equal(environment.fetched.length, 2)
  })

  it('does not fetch after it is stopped', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    await source.start()
    source.stop()
    await environment.pass(86_400)
    assert.equal(environment.fetched.length, 1)
    assert.deepEqual(environment.scheduledMs, [])
  })

  it('schedules nothing if it is stopped during an attempt', async () => {
    const environment = new VirtualRuntime(keySetOf(first))
    const { source } = sourceIn(environment)
    const attempt = source.start()
    source.stop()
    await attempt
    assert.deepEqual(environment.scheduledMs, [])
  })
})
