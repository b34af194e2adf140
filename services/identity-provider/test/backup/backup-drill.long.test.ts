import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openStorage } from '@greeting/directory/storage'
import {
  assertHolds,
  heldBy,
  type Place,
  Writer,
} from '../../../../test/fixtures/directory/writer.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { backupCommands } from '../../src/backup/backup-command.ts'

const folder = freshFolder()
let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(async () => {
  await Writer.killAll()
  await server.stop()
})

const kinds = {
  SQLite: async (name: string): Promise<Place> => ({ dataDir: join(folder, name) }),
  PostgreSQL: async (name: string): Promise<Place> => ({
    dataDir: join(folder, name),
    databaseUrl: await server.database(),
  }),
}

const options = { backup: '--to', restore: '--from' } as const

/** Runs a command with its folder on a store, and returns the progress. Rejects when the command fails. */
async function run(name: keyof typeof backupCommands, folder: string, place: Place) {
  const lines: string[] = []
  await backupCommands[name]([options[name], folder], {
    databaseUrl: undefined,
    ...place,
    keyEncryptionKey: undefined,
    now: () => new Date(),
    progress: (line) => void lines.push(line),
  })
  return lines.join('\n')
}

describe('a backup that is taken while two servers write (FL27)', () => {
  for (const [from, to] of [
    ['SQLite', 'PostgreSQL'],
    ['PostgreSQL', 'SQLite'],
  ] as const) {
    it(`restores every change from ${from} that was acknowledged before it, in ${to}, and no partial change`, async () => {
      const name = `${from}-${to}`
      const source = await kinds[from](name)
      // The first writer makes the tables.
      const writers = [new Writer(source, 'first')]
      await writers[0]?.ready()
      writers.push(new Writer(source, 'second'))
      await writers[1]?.ready()
      await Promise.all(writers.map((writer) => writer.wrote(10)))
      const acknowledged = writers.flatMap((writer) => writer.acknowledged)

      const backup = join(folder, `${name}.backup`)
      assert.match(await run('backup', backup, source), /^tenant: 1 rows$/m)
      await Promise.all(writers.map((writer) => writer.kill()))

      const target = await kinds[to](`${name}.restored`)
      await run('restore', backup, target)
      const storage = await openStorage(target)
      const { revision, counted, audited } = await heldBy(storage)
      await assertHolds(storage, acknowledged)
      await storage.close()
      assert.ok(counted >= acknowledged.length)
      assert.equal(revision, counted)
      assert.equal(audited.size, counted)

      await assert.rejects(run('restore', backup, target), {
        message: /(exists|has data), and is not overwritten/,
      })
    })
  }
})
