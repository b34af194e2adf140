import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Guard } from '@greeting/guard'
import { pino } from 'pino'
import { freePort } from '../../../test/fixtures/free-port.ts'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'
import { parseRules } from '../src/rules-file.ts'
import { RulesInForce } from '../src/rules-in-force.ts'
import { readSettings } from '../src/settings.ts'
import { ask, bearer, folder, original, start, withIdentityProvider } from './running-authorizer.ts'

withIdentityProvider()

/** Also for each test: one that waits for a change in vain must fail. */
const limited = { timeout: 60_000 }

describe('a change of the rules file', limited, () => {
  it('takes effect after a reload, even if it changes the roles', async () => {
    const { service, file, log } = await start()
    const token = await bearer(['Orders.Read', 'New'])
    const status = async (path: string) =>
      (await ask(service.url, [...original('GET', path), ...token])).status
    assert.equal(await status('/orders/7'), 200)
    writeFileSync(file, '{ "rules": [{ "prefix": "/new", "role": "New" }] }')
    await service.reload()
    assert.deepEqual([await status('/orders/7'), await status('/new/7')], [404, 200])
    assert.match(log(), /"rules":1,"msg":"the new rules are in force"/)
    await service.stop()
  })

  for (const [what, text, line] of [
    [
      'an error',
      '{ "rules": [\n{ "path": "/me" }] }',
      'line 2: rules\\[0\\] must have one of role',
    ],
    ['broken JSON', '{ "rules": [\n', 'line '],
  ] as const) {
    it(`with ${what} is reported with its line, and the old rules remain in effect`, async () => {
      const { service, file, log } = await start()
      writeFileSync(file, text)
      await service.reload()
      assert.equal((await ask(service.url, original('GET', '/open'))).status, 200)
      assert.match(log(), new RegExp(line))
      const { body } = await ask(service.metricsUrl ?? '', [], { path: '/metrics' })
      assert.match(body, /rules_reloads_total\{result="failure"\} 1/)
      await service.stop()
    })
  }

  it('leaves the old rules in effect if it removes the file', async () => {
    const { service, file, log } = await start()
    rmSync(file)
    await service.reload()
    assert.equal((await ask(service.url, original('GET', '/open'))).status, 200)
    assert.match(log(), /"reason":"ENOENT/)
    await service.stop()
  })

  it('that empties the file refuses everything', async () => {
    const { service, file } = await start()
    writeFileSync(file, '')
    await service.reload()
    const token = await bearer(['Orders.Read'])
    for (const path of ['/open', '/me', '/orders/7']) {
      assert.equal((await ask(service.url, original('GET', path))).status, 401)
      assert.equal((await ask(service.url, [...original('GET', path), ...token])).status, 404)
    }
    await service.stop()
  })

  it('that changes roles waits for the keys, while the old guard still has keys', async () => {
    let isReachable = true
    let failures = 0
    const { service, file, log } = await start(
      {},
      {
        watchMs: 10,
        runtime: {
          fetch: async (...request) => {
            if (isReachable) return fetch(...request)
            failures += 1
            return new Response('', { status: 500 })
          },
        },
      },
    )
    const token = await bearer(['Orders.Read', 'New'])
    const status = async (path: string) =>
      (await ask(service.url, [...original('GET', path), ...token])).status
    assert.equal(await status('/orders/7'), 200)
    isReachable = false
    writeFileSync(file, '{ "rules": [{ "prefix": "/new", "role": "New" }] }')
    // The file is seen without a call, so two reloads follow each other.
    void service.reload()
    while (failures === 0 || !log().includes('wait for the keys')) await setImmediate()
    assert.deepEqual([await status('/orders/7'), await status('/new/7')], [200, 404])
    isReachable = true
    while ((await status('/new/7')) !== 200) await setImmediate()
    assert.equal(await status('/orders/7'), 404)
    await service.stop()
  })

  it('takes effect without a signal', async () => {
    const { service, file } = await start({}, { watchMs: 10 })
    writeFileSync(file, '{ "rules": [{ "path": "/changed", "public": true }] }')
    for (;;) {
      if ((await ask(service.url, original('GET', '/changed'))).status === 200) break
    }
    await service.stop()
  })
})

/** Rules of a file with this text, which is looked at each millisecond. Only the first guard has keys. */
function follow(test: TestContext, text: string, firstText = text) {
  const file = join(mkdtempSync(join(folder, 'follow-')), 'rules.json')
  writeFileSync(file, text)
  const results: string[] = []
  const guards: { isStopped: boolean }[] = []
  const guardFor = () => {
    const isReady = guards.length === 0
    const guard = { isStopped: false, isReady: () => isReady, start: async () => undefined }
    guards.push(guard)
    const stop = () => {
      guard.isStopped = true
    }
    return { ...guard, stop } as Partial<Guard> as Guard
  }
  const onReload = (result: string) => results.push(result)
  const log = pino({ level: 'silent' })
  const options = { file, guardFor, log, onReload, watchMs: 1 }
  const inForce = new RulesInForce(options, parseRules(file, firstText))
  test.after(() => inForce.stop())
  const change = (changed: string) => writeFileSync(file, changed)
  return { inForce, change, results, guards, rules: () => inForce.current.rules.set.rules.length }
}

describe('following the rules file', limited, () => {
  const open = '{ "rules": [{ "path": "/a", "public": true }] }'
  const guarded = '{ "rules": [{ "path": "/a", "role": "A" }, { "path": "/b", "role": "A" }] }'

  it('detects a change between the first read and the start', async (test) => {
    const { inForce, results, rules } = follow(test, open, '')
    inForce.start()
    while (results.length === 0) await setImmediate()
    assert.deepEqual([results, rules()], [['success'], 1])
  })

  it('reads an unchanged file only once', async (test) => {
    const { inForce, results } = follow(test, open)
    inForce.start()
    await sleep(30)
    assert.deepEqual(results, [])
  })

  it('keeps the guard and its cached tokens if the roles stay the same', async (test) => {
    const { inForce, change, guards, rules } = follow(test, '')
    change(open)
    await inForce.reload()
    assert.deepEqual([guards.length, rules()], [1, 1])
  })

  it('waits for keys until the next change', async (test) => {
    const { inForce, change, results, guards, rules } = follow(test, '')
    change(guarded)
    const waiting = inForce.reload()
    while (guards.length === 1) await setImmediate()
    change(open)
    await Promise.all([waiting, inForce.reload()])
    assert.deepEqual([results, rules()], [['success'], 1])
    assert.deepEqual(
      guards.map(({ isStopped }) => isStopped),
      [false, true],
    )
  })

  it('stops its guards when it stops, even while it waits', async (test) => {
    const { inForce, change, results, guards, rules } = follow(test, '')
    inForce.start()
    change(guarded)
    while (guards.length === 1) await setImmediate()
    const waiting = inForce.reload()
    inForce.stop()
    await waiting
    change(open)
    await sleep(30)
    assert.deepEqual([results, rules()], [[], 0])
    assert.ok(guards.every(({ isStopped }) => isStopped))
  })
})

describe('starting the authorizer', () => {
  it('fails with file and line if the rules are invalid', async () => {
    const file = join(folder, 'faulty.json')
    writeFileSync(file, '{ "rules": [\n{ "prefix": "/" }] }')
    await assert.rejects(start({ RULES_FILE: file }), /faulty\.json is no valid file .* line 2: /)
  })

  it(
    'fetches the keys before any request, and then reports that it is ready',
    limited,
    async () => {
      const { service } = await start()
      while ((await ask(service.url, [], { path: '/readyz' })).status !== 200) await setImmediate()
      await service.stop()
    },
  )

  it('occupies no metrics port unless one is set', async () => {
    const { service } = await start()
    const METRICS_PORT = new URL(service.url).port
    const PORT = String(await freePort())
    await assert.rejects(start({ PORT, METRICS_PORT }), { code: 'EADDRINUSE' })
    await (await start({ PORT })).service.stop()
    await service.stop()
  })

  it('reports that it is not ready once the stop begins, but responds during the delay', async () => {
    const { service } = await start({ STOP_DELAY_SECONDS: '1' })
    const stopping = service.stop()
    const { status, body } = await ask(service.url, [], { path: '/readyz' })
    assert.deepEqual([status, body], [503, '{"status":"stopping"}'])
    await stopping
  })

  it('refuses requests with 503 without keys, and is not ready', async () => {
    const fetch = async () => new Response('', { status: 500 })
    const { service } = await start({}, { runtime: { fetch } })
    const token = await bearer(['Orders.Read'])
    const answer = await ask(service.url, [...original('GET', '/orders/7'), ...token])
    assert.equal(answer.status, 503)
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/)
    assert.equal((await ask(service.url, [], { path: '/readyz' })).status, 503)
    assert.equal((await ask(service.url, original('GET', '/open'))).status, 200)
    await service.stop()
  })

  const required = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }
  const faults: readonly [changes: Record<string, string>, fault: RegExp][] = [
    [{ PROXY: 'nginx' }, /RULES_FILE is not set; expected the file of rules/],
    [{ RULES_FILE: 'r' }, /PROXY is not set; expected nginx, haproxy, envoy, traefik or caddy/],
    [{ RULES_FILE: 'r', PROXY: 'squid' }, /PROXY is "squid"; expected nginx, haproxy/],
    [{ RULES_FILE: 'r', PROXY: 'envoy', TRUSTED_PROXIES: '10.0.0.0/40' }, /TRUSTED_PROXIES is /],
  ]
  for (const [changes, fault] of faults) {
    it(`fails with the settings ${JSON.stringify(changes)}`, () => {
      assert.throws(() => readSettings({ ...required, ...changes }), fault)
    })
  }
})
