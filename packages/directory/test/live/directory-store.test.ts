import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { StorageUnavailableError } from '../../src/live/storage-unavailable-error.ts'
import type { Directory } from '../../src/model/directory.ts'
import { put } from '../../src/model/directory-change.ts'

const rename = (displayName: string) => () => ({
  changes: [put('tenant', tenant({ displayName }))],
  audit: [],
  result: displayName,
})

const everything = () => ({
  changes: [
    put('tenant', tenant()),
    put('application', application()),
    put('servicePrincipal', servicePrincipal()),
  ],
  audit: [],
  result: undefined,
})

const contoso = (directory: Directory) => directory.tenant('contoso.example')

describe('the directory store', () => {
  it('reads its own change immediately', async () => {
    const store = new DirectoryStore({ log: new MemoryDirectoryLog() })
    assert.equal(await store.update(rename('Contoso')), 'Contoso')
    assert.equal((await wholeDirectory(store)).tenant('contoso.example')?.displayName, 'Contoso')
  })

  it('reads without a query while the cache is fresh, and queries the log afterwards', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    const mine = new DirectoryStore({ log, maxAgeMs: 1000, monotonicNowMs: () => nowMs })
    await mine.read(contoso)
    await new DirectoryStore({ log }).update(rename('Contoso'))
    nowMs = 1000
    const found = mine.read((directory) => directory.tenant('contoso.example'))
    assert.ok(!(found instanceof Promise))
    assert.equal(found, undefined)
    nowMs = 1001
    assert.equal((await wholeDirectory(mine)).tenant('contoso.example')?.displayName, 'Contoso')
  })

  it('is unavailable if the log fails for longer than the maximum age', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    let isDown = false
    const flaky = delegatingLog(() => log, {
      changesAfter: async (...known) => {
        if (isDown) throw new StorageUnavailableError('down')
        return log.changesAfter(...known)
      },
    })
    const store = new DirectoryStore({ log: flaky, monotonicNowMs: () => nowMs })
    await store.read(contoso)
    isDown = true
    nowMs = 900
    await store.read(contoso)
    nowMs = 1100
    await assert.rejects(async () => store.read(contoso), StorageUnavailableError)
    isDown = false
    await store.read(contoso)
  })

  it('limits how long a read waits for the log', async () => {
    const silent = delegatingLog(() => new MemoryDirectoryLog(), {
      latest: () => new Promise(() => {}),
    })
    const store = new DirectoryStore({ log: silent, patienceMs: 30 })
    await assert.rejects(async () => store.read(contoso), {
      code: 'storage_unavailable',
      message: 'The store did not answer within 30 ms',
    })
  })

  it('waits longer for the log when it starts', async () => {
    const log = new MemoryDirectoryLog()
    const slow = delegatingLog(() => log, {
      latest: async () => {
        await setTimeout(20)
        return log.latest()
      },
    })
    const store = new DirectoryStore({ log: slow, patienceMs: 1 })
    assert.equal(await store.readAtStart(({ revision }) => revision), 0)
  })

  it('ignores the result of an earlier read if it is too old for a later read', async () => {
    const log = new MemoryDirectoryLog()
    let nowMs = 0
    let isSlow = false
    const asked: PromiseWithResolvers<void>[] = []
    const slow = delegatingLog(() => log, {
      changesAfter: async (...known) => {
        const said = log.changesAfter(...known)
        if (!isSlow) return said
        const question = Promise.withResolvers<void>()
        asked.push(question)
        await question.promise
        return said
      },
    })
    const store = new DirectoryStore({ log: slow, monotonicNowMs: () => nowMs })
    await store.read(contoso)
    isSlow = true
    nowMs = 1001
    const early = Promise.resolve(store.read(contoso))
    nowMs = 2500
    await new DirectoryStore({ log }).update(rename('Contoso'))
    const late = Promise.resolve(store.read(contoso))
    assert.equal(asked.length, 1, 'both reads share a query')
    asked[0]?.resolve()
    assert.equal(await early, undefined)
    await setImmediate()
    assert.equal(asked.length, 2, 'the later read asks again')
    asked[1]?.resolve()
    assert.equal((await late)?.displayName, 'Contoso')
  })

  it('looks up unknown tenants in few queries, one at a time, and never repeats one', async () => {
    const log = new MemoryDirectoryLog()
    let [questions, atOnce, mostAtOnce] = [0, 0, 0]
    const store = new DirectoryStore({
      // Two seconds were too short for 2000 reads on a busy machine.
      patienceMs: 60_000,
      log: delegatingLog(() => log, {
        changesAfter: async (...question) => {
          questions += 1
          atOnce += 1
          mostAtOnce = Math.max(mostAtOnce, atOnce)
          await setImmediate()
          atOnce -= 1
          return log.changesAfter(...question)
        },
      }),
    })
    await store.refresh()
    const names = Array.from({ length: 2000 }, (_, index) =>
      index % 2 === 0 ? guid(index) : `tenant-${index}.example`,
    )
    const read = () =>
      Promise.all(names.map((name) => store.read((directory) => directory.tenant(name))))
    assert.ok((await read()).every((found) => found === undefined))
    assert.ok(questions <= 2 + names.length / 100, `${questions} questions`)
    assert.equal(mostAtOnce, 1)
    questions = 0
    await read()
    assert.equal(questions, 0)
    await new DirectoryStore({ log }).update(rename('Contoso'))
    await store.refresh()
    assert.equal((await store.read(contoso))?.displayName, 'Contoso')
  })

  it('loads the data that a function needs, repeats the function, and then reads from memory', async () => {
    const log = new MemoryDirectoryLog()
    await new DirectoryStore({ log }).update(everything)
    const store = new DirectoryStore({ log })
    await store.refresh()
    let calls = 0
    const find = (directory: Directory) => {
      calls += 1
      const { appId = '' } = directory.application(application().id) ?? {}
      return directory.servicePrincipalByAppId(tenant().id, appId)?.id
    }
    assert.equal(await store.read(find), servicePrincipal().id)
    assert.equal(calls, 3)
    assert.equal(store.read(find), servicePrincipal().id, 'without a promise')
  })

  it('also repeats an asynchronous function', async () => {
    const store = new DirectoryStore({ log: new MemoryDirectoryLog() })
    await store.update(everything)
    const find = async (directory: Directory) => directory.application(application().id)?.appId
    assert.equal(await store.read(find), application().appId)
  })

  it('loads the lookups of simultaneous reads in one snapshot', async () => {
    const log = new MemoryDirectoryLog()
    const loads: number[] = []
    const counting = delegatingLog(() => log, {
      changesAfter: async (known, lookups = []) => {
        if (lookups.length > 0) loads.push(lookups.length)
        return log.changesAfter(known, lookups)
      },
    })
    const store = new DirectoryStore({ log: counting })
    await store.refresh()
    const read = (number: number) => store.read((directory) => directory.application(guid(number)))
    await Promise.all(Array.from({ length: 250 }, (_, number) => read(number)))
    assert.deepEqual(loads, [1, 100, 100, 49])
  })

  it('keeps its cache within the weight limit', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({ log, maxCacheWeight: 10 })
    const changes = Array.from({ length: 50 }, (_, number) =>
      put('servicePrincipal', servicePrincipal({ id: guid(number) })),
    )
    await store.update(() => ({ changes, audit: [], result: undefined }))
    for (const { id } of changes)
      assert.equal(await store.read((directory) => directory.servicePrincipal(id)?.id), id)
    assert.equal(store.cacheWeight, 10)
  })
})
