import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { put } from '../../src/directory/directory-change.ts'
import type { DirectoryLog } from '../../src/storage/directory-log.ts'
import { DirectoryStore } from '../../src/storage/directory-store.ts'
import { StorageUnavailableError } from '../../src/storage/storage-unavailable-error.ts'
import { tenant } from '../directory/sample.ts'
import { MemoryDirectoryLog } from './memory-directory-log.ts'

const rename = (displayName: string) => () => ({
  changes: [put('tenant', tenant({ displayName }))],
  audit: [],
  result: displayName,
})

describe('the directory store', () => {
  it('reads its own change at once', async () => {
    const store = new DirectoryStore({ log: new MemoryDirectoryLog() })
    assert.equal(await store.update(rename('Contoso')), 'Contoso')
    assert.equal((await store.read()).tenant('contoso.example')?.displayName, 'Contoso')
  })

  it('answers without a query while the snapshot is fresh, and asks when it is not', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    const mine = new DirectoryStore({ log, maxAgeMs: 1000, monotonicNowMs: () => nowMs })
    await mine.read()
    await new DirectoryStore({ log }).update(rename('Contoso'))
    nowMs = 1000
    const directory = mine.read()
    assert.ok(!(directory instanceof Promise))
    assert.equal(directory.tenant('contoso.example'), undefined)
    nowMs = 1001
    assert.equal((await mine.read()).tenant('contoso.example')?.displayName, 'Contoso')
  })

  it('loses no update of many that two replicas make at the same time', async () => {
    const log = new MemoryDirectoryLog()
    const replicas = [new DirectoryStore({ log }), new DirectoryStore({ log })]
    const addDomain = (domain: string) => (store: DirectoryStore) =>
      store.update((directory) => {
        const domains = directory.tenant(tenant().id)?.domains ?? []
        return {
          changes: [put('tenant', tenant({ domains: [...domains, domain] }))],
          audit: [],
          result: undefined,
        }
      })
    await Promise.all(
      replicas.flatMap((store, replica) =>
        Array.from({ length: 20 }, (_, index) => addDomain(`d${index}.r${replica}`)(store)),
      ),
    )
    for (const store of replicas)
      assert.equal((await store.refresh()).tenant(tenant().id)?.domains.length, 40)
  })

  it('writes nothing, the audit included, when the deciding function throws', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({ log })
    const refusal = new Error('not so')
    await assert.rejects(
      store.update(() => {
        throw refusal
      }),
      refusal,
    )
    assert.equal((await store.refresh()).revision, 0)
    assert.equal(
      await store.update(rename('after a refusal, updates go on')),
      'after a refusal, updates go on',
    )
  })

  it('says that it cannot know when the log is silent for longer than the snapshot lasts', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    let isDown = false
    const flaky: DirectoryLog = {
      changesAfter: async (known) => {
        if (isDown) throw new StorageUnavailableError('down')
        return log.changesAfter(known)
      },
      commit: (...commit) => log.commit(...commit),
    }
    const store = new DirectoryStore({ log: flaky, monotonicNowMs: () => nowMs })
    await store.read()
    isDown = true
    nowMs = 900
    await store.read()
    nowMs = 1100
    await assert.rejects(async () => store.read(), StorageUnavailableError)
    isDown = false
    await store.read()
  })

  it('gives up, as unavailable, when every commit meets another', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({
      log: {
        changesAfter: (known) => log.changesAfter(known),
        commit: async () => 'conflict',
      },
    })
    await assert.rejects(store.update(rename('never')), StorageUnavailableError)
  })

  it('waits only so long for a log that is silent', async () => {
    const silent: DirectoryLog = {
      changesAfter: () => new Promise(() => {}),
      commit: () => new Promise(() => {}),
    }
    const store = new DirectoryStore({ log: silent, patienceMs: 30 })
    await assert.rejects(async () => store.read(), {
      code: 'storage_unavailable',
      message: 'The store did not answer within 30 ms',
    })
  })

  it('answers nobody by what the log said of a time that is too long ago for who asks', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    const asked: PromiseWithResolvers<void>[] = []
    const slow: DirectoryLog = {
      changesAfter: async (known) => {
        const said = log.changesAfter(known)
        const question = Promise.withResolvers<void>()
        asked.push(question)
        await question.promise
        return said
      },
      commit: (...commit) => log.commit(...commit),
    }
    const store = new DirectoryStore({ log: slow, monotonicNowMs: () => nowMs })
    const early = Promise.resolve(store.read())
    nowMs = 1500
    await new DirectoryStore({ log }).update(rename('Contoso'))
    const late = Promise.resolve(store.read())
    assert.equal(asked.length, 1, 'they share a query')
    asked[0]?.resolve()
    assert.equal((await early).tenant('contoso.example'), undefined)
    await setImmediate()
    assert.equal(asked.length, 2, 'the later one asks again')
    asked[1]?.resolve()
    assert.equal((await late).tenant('contoso.example')?.displayName, 'Contoso')
  })
})
