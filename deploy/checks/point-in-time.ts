import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer } from '../../fixtures/postgres-server.ts'
import { Administrator } from '../drills/administrator.ts'
import { newKeyEncryptionKey } from '../drills/rolling-scene.ts'
import { startProcess } from '../running/process.ts'
import { readSeeded, requestToken } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import type { Check } from './check.ts'

/** Changes of each part: before and after the base backup, and after the target. */
const changes = 20

/** Loses a PostgreSQL server, and restores the moment before a mistake from a base backup and its log. */
export const pointInTimeRestore: Check = {
  name: 'point-in-time-restore',
  programs: [],
  run: async (root) => {
    await using stack = new AsyncDisposableStack()
    const remove = (path: string) => rmSync(path, { recursive: true })
    const dataDir = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-restore-')), remove)
    const server = stack.adopt(await PostgresServer.start(), (one) => one.stop())
    const archive = stack.adopt(await server.startArchive(), remove)
    const name = new URL(await server.database()).pathname.slice(1)
    const { command, settings, registrations } = sourceLauncher(root, dataDir)
    const key = newKeyEncryptionKey()
    const start = (port: number) =>
      startProcess(command('identity-provider'), {
        ...settings('identity-provider'),
        HOST: '127.0.0.1',
        PORT: '0',
        REGISTRATIONS: registrations,
        DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/${name}`,
        KEY_ENCRYPTION_KEY: key,
      })

    const provider = await start(server.port)
    const administrator = new Administrator(provider.url, dataDir)
    const create = async (part: string) => {
      const names = Array.from({ length: changes }, (_, index) => `${part} ${index}`)
      for (const one of names) await administrator.createApplication(one)
      return names
    }
    const kept = await create('before the base backup')
    const copy = stack.adopt(await server.baseBackup(), (one) => one.stop())
    kept.push(...(await create('after the base backup')))
    const [row] = await server.query('select clock_timestamp()::text as time')
    const { time } = row as { time: string }
    const later = await create('after the target')
    await server.query('delete from app_role_assignment', name)
    await server.archiveNow()
    await server.kill()
    await provider.stop()

    const startedMs = performance.now()
    await copy.recoverTo(time, archive)
    const recoveredMs = performance.now()
    await using restored = await start(copy.port)
    await requestToken(readSeeded(dataDir), restored.url)
    const tokenMs = performance.now()
    const names = await new Administrator(restored.url, dataDir).applicationNames()
    const has = (one: string) => names.has(one)
    assert.deepEqual(
      kept.filter((one) => !has(one)),
      [],
      'acknowledged changes are lost',
    )
    assert.deepEqual(later.filter(has), [], 'changes after the target are restored')
    return [
      `PostgreSQL: ${kept.length} of ${kept.length} acknowledged changes before the target, and 0 of ${later.length} after it`,
      `the database in ${Math.round(recoveredMs - startedMs)} ms, a token ${Math.round(tokenMs - recoveredMs)} ms later`,
    ]
  },
}
