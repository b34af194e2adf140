import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresServer } from '../../test/fixtures/postgres-server.ts'
import { mustRun } from '../../test/packages/program.ts'
import { Administrator } from '../drills/administrator.ts'
import { newKeyEncryptionKey } from '../drills/rolling-scene.ts'
import { startProcess } from '../running/process.ts'
import { readSeeded, requestToken } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import type { Check, Environment } from './check.ts'

/** The changes of each part: before the copy, between copy and target, after the target. */
const changesOfPart = 20

const remove = (path: string) => rmSync(path, { recursive: true })

/** Loses a PostgreSQL server, and restores the moment before a mistake from a base backup and the write-ahead log. */
export const postgresPointInTime: Check = {
  name: 'point-in-time-postgresql',
  programs: [],
  run: async (root) => {
    await using stack = new AsyncDisposableStack()
    const dataDir = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-restore-')), remove)
    const server = stack.adopt(await PostgresServer.start(), (one) => one.stop())
    const archive = stack.adopt(await server.startArchive(), remove)
    const name = new URL(await server.database()).pathname.slice(1)
    const KEY_ENCRYPTION_KEY = newKeyEncryptionKey()
    const start = ({ port }: PostgresServer) =>
      startProvider(root, dataDir, {
        DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/${name}`,
        KEY_ENCRYPTION_KEY,
      })

    const provider = await start(server)
    const administrator = new Administrator(provider.url, dataDir)
    const kept = await change(administrator, 'before the copy')
    const copy = stack.adopt(await server.baseBackup(), (one) => one.stop())
    kept.push(...(await change(administrator, 'before the target')))
    const [row] = await server.query('select clock_timestamp()::text as time')
    const { time } = row as { time: string }
    const later = await change(administrator, 'after the target')
    await server.query('delete from app_role_assignment', name)
    await server.archiveNow()
    await server.kill()
    await provider.stop()

    const startedMs = performance.now()
    await copy.recoverTo(time, archive)
    await using restored = await start(copy)
    return [await lineOf(restored.url, dataDir, { kept, later, startedMs })]
  },
}

/** Loses the folder of a server with SQLite, and restores a point in time from the Litestream copy. */
export const sqlitePointInTime: Check = {
  name: 'point-in-time-sqlite',
  programs: ['litestream'],
  run: async (root, environment) => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-restore-')), remove)
    const [lost, restoredDir] = [join(folder, 'lost'), join(folder, 'restored')]
    mkdirSync(restoredDir, { mode: 0o700 })
    const replica = `file://${join(folder, 'replica')}`

    const provider = await startProvider(root, lost)
    const replication = stack.use(
      startLitestream(join(lost, 'greeting.sqlite'), replica, environment),
    )
    const administrator = new Administrator(provider.url, lost)
    const kept = await change(administrator, 'before the target')
    // Litestream copies each second, and a moment lies between two copies.
    await sleep(litestreamPauseMs)
    const time = new Date().toISOString()
    await sleep(litestreamPauseMs)
    const later = await change(administrator, 'after the target')
    await sleep(litestreamPauseMs)
    await provider.stop()
    await replication.stop()

    const startedMs = performance.now()
    const target = ['-o', join(restoredDir, 'greeting.sqlite'), '-timestamp', time]
    mustRun('litestream', ['restore', ...target, replica], folder)
    // The key-encryption key and the files of the first start are no part of the store.
    for (const file of ['key-encryption.key', 'administrator.env', 'seeded.json'])
      copyFileSync(join(lost, file), join(restoredDir, file))
    await using restored = await startProvider(root, restoredDir)
    return [await lineOf(restored.url, restoredDir, { kept, later, startedMs })]
  },
}

const litestreamPauseMs = 3000

function startProvider(
  root: string,
  dataDir: string,
  store: Readonly<Record<string, string>> = {},
) {
  const { command, settings, registrations } = sourceLauncher(root, dataDir)
  return startProcess(command('identity-provider'), {
    ...settings('identity-provider'),
    HOST: '127.0.0.1',
    PORT: '0',
    REGISTRATIONS: registrations,
    ...store,
  })
}

function startLitestream(database: string, replica: string, { PATH }: Environment) {
  const child = spawn('litestream', ['replicate', database, replica], {
    env: { PATH },
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { stop, [Symbol.asyncDispose]: stop }
}

/** Makes the changes of one part, and returns their names: all are acknowledged. */
async function change(administrator: Administrator, part: string): Promise<string[]> {
  const names = Array.from({ length: changesOfPart }, (_, index) => `${part} ${index}`)
  for (const name of names) await administrator.createApplication(name)
  return names
}

type Expected = {
  readonly kept: readonly string[]
  readonly later: readonly string[]
  readonly startedMs: number
}

/** Asserts that the restored server has exactly the changes before the target, and issues tokens. */
async function lineOf(url: string, dataDir: string, { kept, later, startedMs }: Expected) {
  await requestToken(readSeeded(dataDir), url)
  const tookMs = Math.round(performance.now() - startedMs)
  const names = await new Administrator(url, dataDir).applicationNames()
  const isThere = (name: string) => names.has(name)
  assert.deepEqual(
    kept.filter((name) => !isThere(name)),
    [],
    'acknowledged changes are lost',
  )
  assert.deepEqual(later.filter(isThere), [], 'changes after the target are restored')
  return `${kept.length} of ${kept.length} acknowledged changes before the target, 0 of ${later.length} after it; a token after ${tookMs} ms`
}
