import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { application, guid, tenant } from '../../../../test/fixtures/directory/sample.ts'
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

const contoso = (directory: Directory) => directory.tenant('contoso.example')

describe('updates of a directory', () => {
  it('load their data while the previous update is written', async () => {
    const log = new MemoryDirectoryLog()
    const written = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const store = new DirectoryStore({
      log: delegatingLog(() => log, {
        commit: async (...commit) => {
          await written.promise
          return log.commit(...commit)
        },
        changesAfter: (known, lookups = []) => {
          if (lookups.length > 0) asked.resolve()
          return log.changesAfter(known, lookups)
        },
      }),
    })
    const first = store.update(rename('Contoso'))
    const second = store.update((directory) => {
      directory.application(application().id)
      return { changes: [], audit: [], result: contoso(directory)?.displayName }
    })
    await asked.promise
    written.resolve()
    await first
    assert.equal(await second, 'Contoso')
  })

  it('are all kept when two replicas update at the same time', async () => {
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
      assert.equal((await wholeDirectory(store)).tenant(tenant().id)?.domains.length, 40)
  })

  const afterAnotherReplica: readonly [string, (found: string | undefined) => number][] = [
    ['fails', (found) => assert.fail(`failed with ${found}`)],
    ['changes nothing', () => 0],
    ['changes something', () => 1],
  ]
  for (const [name, changesFor] of afterAnotherReplica) {
    it(`use the latest directory when an update ${name} after an update of another replica`, async () => {
      const log = new MemoryDirectoryLog()
      const store = new DirectoryStore({ log })
      await store.update(rename('old'))
      await new DirectoryStore({ log }).update(rename('latest'))
      let found: string | undefined
      const updated = store.update((directory) => {
        found = directory.tenant(tenant().id)?.displayName
        const changes = changesFor(found) === 1 ? rename(`after ${found}`)().changes : []
        return { changes, audit: [], result: undefined }
      })
      await (name === 'fails' ? assert.rejects(updated, /failed with latest/) : updated)
      assert.equal(found, 'latest')
    })
  }

  it('write no change and no audit record if their function throws', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({ log })
    const refusal = new Error('not so')
    await assert.rejects(
      store.update(() => {
        throw refusal
      }),
      refusal,
    )
    assert.equal((await wholeDirectory(store)).revision, 0)
    assert.equal(
      await store.update(rename('an update after a refusal')),
      'an update after a refusal',
    )
  })

  for (const isRefused of [true, false])
    it(`use the latest directory for an update that ${isRefused ? 'fails' : 'changes something'} after this server's own commit`, async () => {
      const log = new MemoryDirectoryLog()
      const other = new DirectoryStore({ log })
      let commits = 0
      const store = new DirectoryStore({
        log: delegatingLog(() => log, {
          commit: async (...commit) => {
            const outcome = await log.commit(...commit)
            commits += 1
            // After the own commit, and before the update that waits for it.
            if (commits === 1) await other.update(rename('latest'))
            return outcome
          },
        }),
      })
      const first = store.update(rename('first'))
      const seen: (string | undefined)[] = []
      const second = store.update((directory) => {
        seen.push(contoso(directory)?.displayName)
        if (isRefused) assert.fail('refused')
        return rename(`after ${seen.at(-1)}`)()
      })
      await first
      await (isRefused ? assert.rejects(second, /refused/) : second)
      assert.equal(seen.at(-1), 'latest')
      assert.equal(store.conflicts, isRefused ? 0 : 1)
    })

  it('query other commits before a change, but only for ten seconds after a conflict', async () => {
    const log = new MemoryDirectoryLog()
    let [questions, nowMs] = [0, 0]
    const store = new DirectoryStore({
      monotonicNowMs: () => nowMs,
      log: delegatingLog(() => log, {
        changesAfter: (...question) => {
          questions += 1
          return log.changesAfter(...question)
        },
      }),
    })
    const asked = async (update: () => Promise<unknown>) => {
      questions = 0
      await update()
      return questions
    }
    await store.read(contoso)
    const increment = () =>
      store.update((directory) =>
        rename(String(Number(contoso(directory)?.displayName ?? 0) + 1))(),
      )
    const five = () => Promise.all(Array.from({ length: 5 }, increment))
    assert.equal(await asked(five), 0)
    await new DirectoryStore({ log }).update(rename('10'))
    assert.equal(await asked(increment), 1, 'the conflict')
    assert.equal(await asked(increment), 1)
    nowMs = 10_001
    await store.refresh()
    assert.equal(await asked(increment), 0)
    assert.equal(await store.read((all) => contoso(all)?.displayName), '13')
  })

  it('keep a commit of this server that is missing in the result of an earlier query', async () => {
    const log = new MemoryDirectoryLog()
    const written = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    let reading: Promise<unknown> | undefined
    const store = new DirectoryStore({
      log: delegatingLog(() => log, {
        changesAfter: async (known, lookups = []) => {
          const answer = await log.changesAfter(known, lookups)
          if (lookups.some(({ key }) => key === application().id)) {
            asked.resolve()
            await written.promise
          }
          return answer
        },
        commit: async (...commit) => {
          reading = Promise.resolve(store.read((all) => all.application(application().id)))
          await asked.promise
          return log.commit(...commit)
        },
      }),
    })
    await store.update(() => ({
      changes: [put('application', application())],
      audit: [],
      result: undefined,
    }))
    written.resolve()
    assert.deepEqual(await reading, application())
  })

  it('share one commit if they wait at the same time', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({ log })
    const first = store.update(rename('Contoso'))
    const others = [1, 2, 3].map((number) =>
      store.update(() => ({
        changes: [put('application', application({ id: guid(number), appId: guid(number) }))],
        audit: [],
        result: number,
      })),
    )
    assert.equal(await first, 'Contoso')
    assert.deepEqual(await Promise.all(others), [1, 2, 3])
    assert.equal(store.revision, 2)
    assert.equal((await store.read((all) => all.application(guid(3))))?.id, guid(3))
  })

  it('are repeated if an earlier update in the same commit changes an object that they read', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({ log })
    await store.update(rename('0'))
    const increment = () =>
      store.update((directory) => rename(String(Number(contoso(directory)?.displayName) + 1))())
    assert.deepEqual(await Promise.all([increment(), increment(), increment()]), ['1', '2', '3'])
    assert.equal(store.conflicts, 0)
  })

  it('fail only if their own commit cannot be written', async () => {
    const log = new MemoryDirectoryLog()
    const store = new DirectoryStore({
      log: delegatingLog(() => log, {
        commit: async (base, mark, changes, audit) => {
          if (changes.some(({ id }) => id === guid(2))) throw new TypeError('cannot be written')
          return log.commit(base, mark, changes, audit)
        },
      }),
    })
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((number) =>
        store.update(() => ({
          changes: [put('application', application({ id: guid(number), appId: guid(number) }))],
          audit: [],
          result: number,
        })),
      ),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.equal(await store.update(rename('an update after it')), 'an update after it')
  })

  it('all fail if the store is unavailable for their commit', async () => {
    const log = new MemoryDirectoryLog()
    let commits = 0
    const store = new DirectoryStore({
      log: delegatingLog(() => log, {
        commit: async () => {
          commits += 1
          throw new StorageUnavailableError('down')
        },
      }),
    })
    const updates = Array.from({ length: 5 }, () => store.update(rename('never')))
    for (const { status } of await Promise.allSettled(updates)) assert.equal(status, 'rejected')
    assert.equal(commits, 2)
  })

  it('fail only if they need more data than can be loaded', async () => {
    const store = new DirectoryStore({ log: new MemoryDirectoryLog() })
    let number = 0
    const endless = store.update((directory) => {
      for (const _ of Array(100)) directory.application(guid(number++))
      return rename('never')()
    })
    const other = store.update(rename('other'))
    await assert.rejects(endless, { code: 'storage_unavailable' })
    assert.equal(await other, 'other')
  })

  it('exclude other processes after three conflicts', async () => {
    const log = new MemoryDirectoryLog()
    const busy = new DirectoryStore({ log })
    let number = 0
    const store = new DirectoryStore({
      log: delegatingLog(() => log, {
        commit: async (...commit) => {
          await busy.update(rename(`busy ${++number}`))
          return log.commit(...commit)
        },
      }),
    })
    const seen = await store.update((directory) => ({
      ...rename('mine')(),
      result: contoso(directory)?.displayName,
    }))
    assert.equal(seen, 'busy 3')
    assert.equal(store.conflicts, 3)
  })

  it('are unavailable if an exclusive commit also causes a conflict', async () => {
    const log = new MemoryDirectoryLog()
    const conflicting = delegatingLog(() => log, { commit: async () => 'conflict' })
    const store = new DirectoryStore({
      log: { ...conflicting, exclusively: (_, write) => write(conflicting) },
    })
    await assert.rejects(store.update(rename('never')), StorageUnavailableError)
  })
})
