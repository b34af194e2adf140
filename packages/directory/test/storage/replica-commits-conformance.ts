import assert from 'node:assert/strict'
import { it } from 'node:test'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import { application, tenant } from '../../../../test/fixtures/directory/sample.ts'
import {
  commitAt,
  commitOf,
  markAt,
  recordOf,
} from '../../../../test/fixtures/directory/sample-commit.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { type DirectoryLog, logsOf } from '../../src/live/directory-log.ts'
import { put } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const logs = logsOf([put('tenant', tenant())])

/** Tests a directory log to which replicas commit at the same time. */
export function replicaCommitsConformance(fresh: FreshStorage): void {
  it('succeed only once for each revision, even if many are attempted', async () => {
    const store = await fresh()
    const replicas = [await store.open(), await store.open(), await store.open()]
    for (let base = 0; base < 10; base += 1) {
      const outcomes = await Promise.all(
        replicas.flatMap(({ directory }, replica) =>
          [1, 2].map((attempt) => {
            const change = put('tenant', tenant({ displayName: `${replica}.${attempt}` }))
            return directory.commit(
              commitAt(base),
              markAt(base + 1),
              [change],
              [recordOf(`${replica}.${attempt}`)],
            )
          }),
        ),
      )
      assert.equal(outcomes.filter((outcome) => outcome !== 'conflict').length, 1)
    }
    const { records } = await (replicas[0] as (typeof replicas)[0]).audit.find({
      log: 'directory',
      limit: 100,
    })
    assert.equal(records.length, 10)
  })

  it('are blocked while another replica writes exclusively', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    const change = put('tenant', tenant())
    await one.directory.commit(commitAt(0), markAt(1), [change], [])
    const events: string[] = []
    const writeTo = async (log: Pick<DirectoryLog, 'commit'>, base: number, target: string) => {
      const outcome = await log.commit(
        commitAt(base),
        markAt(base + 1),
        [change],
        [recordOf(target)],
      )
      events.push(`${target}: ${outcome === 'conflict' ? outcome : outcome.revision}`)
    }
    let others: Promise<void> | undefined
    await one.directory.exclusively(logs, async (log) => {
      others = writeTo(other.directory, 1, 'other')
      const { latest, changes } = await log.changesAfter(commitAt(0))
      assert.deepEqual([commitOf(latest), changes?.length], [commitAt(1), 1])
      assert.deepEqual(commitOf(await log.latest()), commitAt(1))
      assert.deepEqual(
        commitOf((await other.directory.changesAfter(commitAt(1))).latest),
        commitAt(1),
      )
      await writeTo(log, 1, 'exclusive')
    })
    await others
    assert.deepEqual(events, ['exclusive: 2', 'other: conflict'])
    assert.deepEqual(
      commitOf((await other.directory.changesAfter(commitAt(1))).latest),
      commitAt(2),
    )
  })

  it('are discarded if an exclusive writer fails, and possible again afterwards', async () => {
    const { directory } = await (await fresh()).open()
    const change = put('tenant', tenant())
    const failing = directory.exclusively(logs, async (log) => {
      await log.commit(commitAt(0), markAt(1), [change], [])
      throw new Error('not so')
    })
    await assert.rejects(failing, /not so/)
    assert.notEqual(await directory.commit(commitAt(0), markAt(1), [change], []), 'conflict')
  })

  it('include every update of replicas that update at the same time', async () => {
    const store = await fresh()
    const replicas = [await store.open(), await store.open(), await store.open()].map(
      ({ directory }) => patientStore(directory),
    )
    await Promise.all(
      replicas.flatMap((replica, name) =>
        Array.from({ length: 10 }, (_, index) =>
          replica.update((directory) => {
            const domains = [...(directory.tenant(tenant().id)?.domains ?? []), `${name}.${index}`]
            return {
              changes: [put('tenant', tenant({ domains }))],
              audit: [recordOf(`${name}.${index}`)],
              result: undefined,
            }
          }),
        ),
      ),
    )
    for (const replica of replicas) {
      assert.equal((await wholeDirectory(replica)).tenant(tenant().id)?.domains.length, 30)
    }
  })

  it('never show a replica a state between two commits', async () => {
    const store = await fresh()
    const [writer, reader] = [await store.open(), await store.open()]
    let done = false
    const reading = (async () => {
      const replica = patientStore(reader.directory)
      while (!done) {
        await replica.refresh()
        const { revision, objects } = await replica.read((directory) => ({
          revision: directory.revision,
          objects: [directory.tenant(tenant().id), directory.application(application().id)],
        }))
        if (revision === 0) continue
        for (const object of objects) assert.equal(object?.displayName, `revision ${revision}`)
      }
    })()
    for (let base = 0; base < 30; base += 1) {
      const displayName = `revision ${base + 1}`
      const both = [
        put('tenant', tenant({ displayName })),
        put('application', application({ displayName })),
      ]
      await writer.directory.commit(commitAt(base), markAt(base + 1), both, [])
    }
    done = true
    await reading
  })
}
