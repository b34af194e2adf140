import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientSecret, clientSecrets } from '../../src/credentials/credential.ts'
import type { ClientEvent } from '../../src/hooks.ts'
import type { TokenCache } from '../../src/token/token-cache.ts'
import { settled, tokenSourceIn } from '../fakes/token-source-in.ts'
import { grant, noConnection, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const storeOf = (entries = new Map<string, string>()): TokenCache => ({
  get: async (key) => entries.get(key),
  set: async (key, value) => entries.set(key, value),
})

describe('a shared token store', () => {
  it("lets one process use another process's token", async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const cache = storeOf()
    await tokenSourceIn(environment, { cache }).token()
    assert.equal(await tokenSourceIn(environment, { cache }).token(), 't1')
    assert.equal(environment.sent.length, 1)
  })

  it('returns neither an expired token nor one from the future', async () => {
    for (const passedMs of [70_000, -3_600_000]) {
      const environment = new VirtualRuntime(grant('t1', 100), grant('t2', 100))
      const cache = storeOf()
      await tokenSourceIn(environment, { cache }).token()
      environment.wallClockErrorMs = passedMs
      assert.equal(await tokenSourceIn(environment, { cache }).token(), 't2')
    }
  })

  it('remembers the age of a token from another process', async () => {
    const environment = new VirtualRuntime(grant('t1', 100), grant('t2', 100))
    const cache = storeOf()
    await tokenSourceIn(environment, { cache }).token()
    environment.pass(60_000)
    const source = tokenSourceIn(environment, { cache })
    assert.equal(await source.token(), 't1')
    environment.pass(10_000)
    assert.equal(await source.token(), 't2')
  })

  it('separates the tokens of different clients, scopes, servers and credentials (CL8)', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const entries = new Map<string, string>()
    const cache = storeOf(entries)
    const others = [
      {},
      { clientId: 'another' },
      { scope: 'api://another/.default' },
      { authority: 'https://login.example/another' },
      { credential: clientSecret('another') },
      { credential: clientSecrets('secret-value', 'another') },
    ]
    for (const other of others) await tokenSourceIn(environment, { cache, ...other }).token()
    assert.equal(environment.sent.length, others.length)
    assert.doesNotMatch([...entries.keys()].join(), /client-id|secret/)
  })

  it('does not return a refused token', async () => {
    const environment = new VirtualRuntime(grant('t1'), grant('t2'))
    const cache = storeOf()
    const source = tokenSourceIn(environment, { cache })
    source.drop(await source.token())
    assert.equal(await source.token(), 't2')
  })

  it('is not read if a new token is forced', async () => {
    const environment = new VirtualRuntime(grant('t1'), grant('t2'))
    const cache = storeOf()
    await tokenSourceIn(environment, { cache }).token()
    assert.equal(await tokenSourceIn(environment, { cache }).token({ force: true }), 't2')
  })

  it('prevents a second renewal after another process renewed the token', async () => {
    const environment = new VirtualRuntime(grant('t1', 100), grant('t2', 100))
    const cache = storeOf()
    const [one, other] = [
      tokenSourceIn(environment, { cache }),
      tokenSourceIn(environment, { cache }),
    ]
    await one.token()
    await other.token()
    environment.pass(65_000)
    await one.token()
    await settled()
    assert.equal(await other.token(), 't1')
    await settled()
    assert.equal(await other.token(), 't2')
    assert.equal(environment.sent.length, 2)
  })

  it('causes only one request for processes that start together, if it has locks', async () => {
    let tail: Promise<unknown> = Promise.resolve()
    const cache: TokenCache = {
      ...storeOf(),
      exclusively: (_key, work) => {
        const turn = tail.then(work)
        tail = turn.catch(() => undefined)
        return turn
      },
    }
    const environment = new VirtualRuntime(grant('t1'))
    const processes = Array.from({ length: 10 }, () => tokenSourceIn(environment, { cache }))
    await Promise.all(processes.map(({ token }) => token()))
    assert.equal(environment.sent.length, 1)
  })
})

describe('the token cache ignores a store', () => {
  const never = new Promise<never>(() => undefined)
  const fails = () => Promise.reject(new Error('the store holds canary.token'))
  const entry = (text: string): TokenCache => ({
    get: async () => text,
    set: async () => undefined,
  })
  const rows: readonly (readonly [string, TokenCache])[] = [
    ['that fails', { get: fails, set: fails }],
    [
      'that throws',
      {
        get: fails,
        set: () => {
          throw new Error('broken')
        },
      },
    ],
    ['without working locks', { ...storeOf(), exclusively: fails }],
    ['with an empty value', entry('')],
    ['with half an entry', entry('{"token":"t')],
    ['with an unrelated entry', entry('[]')],
    [
      'with an invalid token',
      entry('{"token":"a\\nb","obtainedMs":1767225600000,"lifetimeSeconds":9e9}'),
    ],
    [
      'with an invalid lifetime',
      entry('{"token":"a","obtainedMs":1767225600000,"lifetimeSeconds":"x"}'),
    ],
  ]
  for (const [what, cache] of rows) {
    it(what, async () => {
      const events: ClientEvent[] = []
      const environment = new VirtualRuntime(grant('t1'))
      const source = tokenSourceIn(environment, { cache, onEvent: (event) => events.push(event) })
      assert.equal(await source.token(), 't1')
      assert.equal(await source.token(), 't1')
      assert.equal(environment.sent.length, 1)
      assert.doesNotMatch(JSON.stringify(events), /canary/)
    })
  }

  it('that does not respond within a second', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const hangs = () => {
      queueMicrotask(() => environment.pass(1_000))
      return never
    }
    assert.equal(
      await tokenSourceIn(environment, { cache: { get: hangs, set: hangs } }).token(),
      't1',
    )
  })

  it('that does not grant the lock within a few seconds', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const exclusively = () => {
      queueMicrotask(() => environment.pass(6_000))
      return never
    }
    assert.equal(
      await tokenSourceIn(environment, { cache: { ...storeOf(), exclusively } }).token(),
      't1',
    )
  })

  it('that fails, and reports the error of the token request', async () => {
    const cache: TokenCache = { ...storeOf(), exclusively: (_key, work) => work() }
    const source = tokenSourceIn(new VirtualRuntime(noConnection), { cache, deadlineMs: 1 })
    await assert.rejects(source.token(), { code: 'authority_unreachable' })
  })
})
