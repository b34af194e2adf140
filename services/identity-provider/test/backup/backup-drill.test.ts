import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PostgresServer } from '../../../../fixtures/postgres-server.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { assertHolds, heldBy, type Place, Writer } from '../storage/writer.ts'
import { runMain } from './run-main.ts'

let folder: string
let server: PostgresServer
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'greeting-drill-'))
  server = await PostgresServer.start()
})
after(async () => {
  await Writer.killAll()
  await server.stop()
  await rm(folder, { recursive: true })
})

const kinds = {
  SQLite: async (name: string): Promise<Place> => ({ dataDir: join(folder, name) }),
  PostgreSQL: async (name: string): Promise<Place> => ({
    dataDir: join(folder, name),
    databaseUrl: await server.database(),
  }),
}
const environmentOf = ({ dataDir, databaseUrl }: Place) => ({
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
})

describe('a backup while two servers write, and its restore (FL27)', () => {
  for (const [from, to] of [
    ['SQLite', 'PostgreSQL'],
    ['PostgreSQL', 'SQLite'],
  ] as const) {
    it(`has every change that ${from} acknowledged before, in ${to}, and no change in part`, async () => {
      const name = `${from}-${to}`
      const source = await kinds[from](name)
      // The first writer makes the tables.
      const writers = [new Writer(source, 'first')]
      await writers[0]?.wrote(1)
      writers.push(new Writer(source, 'second'))
      await Promise.all(writers.map((writer) => writer.wrote(10)))
      const acknowledged = writers.flatMap((writer) => writer.acknowledged)

      const backup = join(folder, `${name}.backup`)
      const made = await runMain(['backup', '--to', backup], environmentOf(source))
      assert.equal(made.code, 0, made.err)
      assert.match(made.err, /^tenant: 1 rows$/m)
      await Promise.all(writers.map((writer) => writer.kill()))

      const target = await kinds[to](`${name}.restored`)
      const restored = await runMain(['restore', '--from', backup], environmentOf(target))
      assert.equal(restored.code, 0, restored.err)
      const storage = await openStorage(target)
      const { revision, counted, audited } = await heldBy(storage)
      await assertHolds(storage, acknowledged)
      await storage.close()
      assert.ok(counted >= acknowledged.length)
      assert.equal(revision, counted)
      assert.equal(audited.size, counted)

      const again = await runMain(['restore', '--from', backup], environmentOf(target))
      assert.equal(again.code, 1)
      assert.match(again.err, /restore failed: .*(exists|has data), and is not overwritten/)
    })
  }
})
