import assert from 'node:assert/strict'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { storedTables } from '@greeting/directory/database'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { backupCommands } from '../../src/backup/backup-command.ts'
import { manifestText } from '../../src/backup/backup-manifest.ts'
import type { Service } from '../../src/startup/service.ts'
import { startHere } from '../provider-here.ts'
import { readSeeded, requestToken } from '../provider-process.ts'
import { runMain } from './run-main.ts'

const passphrase = 'a long passphrase'

describe('a backup of a running server', () => {
  const folder = freshFolder()
  let provider: Service
  const at = (name: string) => join(folder, name)
  const dataDir = () => at('data')
  /** Runs a command in this process. */
  const run = async (
    name: keyof typeof backupCommands,
    args: readonly string[],
    place: string | { readonly dataDir: string; readonly databaseUrl: string },
    keyEncryptionKey?: string,
  ) => {
    const lines: string[] = []
    const out = await backupCommands[name](args, {
      databaseUrl: undefined,
      ...(typeof place === 'string' ? { dataDir: place } : place),
      keyEncryptionKey,
      now: () => new Date(),
      progress: (line: string) => void lines.push(line),
    })
    return { out, lines }
  }
  const backup = (to: string, ...args: string[]) =>
    run('backup', ['--to', at(to), ...args], dataDir())
  const restore = (from: string, to: string, ...args: string[]) =>
    run('restore', ['--from', at(from), ...args], at(to))
  const kidOf = async (response: Response) => {
    const [header = ''] = (await response.json()).access_token.split('.')
    return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
  }

  before(async () => {
    await writeFile(at('passphrase'), `${passphrase}\n`)
    await writeFile(at('other'), 'another passphrase')
    await writeFile(at('short'), 'short')
    provider = await startHere({ DATA_DIR: dataDir(), HTTPS_PORT: 'off' })
  })
  after(async () => {
    await provider.stop()
  })

  it('includes its key, so the restored server uses the same signing key', async () => {
    const made = await backup('with-key', '--passphrase-file', at('passphrase'))
    assert.match(made.out, /^The backup in .* is complete\. It contains the key-encryption key /)
    assert.ok(made.lines.includes('signing_key: 2 rows'), made.lines.join())
    await restore('with-key', 'copy', '--passphrase-file', at('passphrase'))
    assert.equal((await stat(at('copy/greeting.sqlite'))).mode & 0o777, 0o600)
    const copy = await startHere({ DATA_DIR: at('copy'), HTTPS_PORT: 'off' })
    const [before, after] = [
      await requestToken(provider.url, dataDir()),
      await requestToken(copy.url, dataDir()),
    ]
    await copy.stop()
    assert.deepEqual([before.status, after.status], [200, 200])
    assert.equal(await kidOf(after), await kidOf(before))
  })

  it('restores one tenant while the server runs, and makes a withdrawn secret valid again', async (t) => {
    const { clients, tenantId } = await readSeeded(dataDir())
    const tenant = ['--tenant', tenantId]
    await backup('tenant', ...tenant)
    const storage = await openLocalStorage({ dataDir: dataDir() })
    t.after(() => storage.close())
    await patientStore(storage.directory).update((directory) => {
      const client = directory.applicationByAppId(clients[0].applicationId)
      assert.ok(client)
      const withdrawn = put('application', { ...client, passwordCredentials: [] })
      return { changes: [withdrawn], audit: [], result: undefined }
    })
    const untilStatus = (status: number) => {
      const isSo = async () =>
        assert.equal((await requestToken(provider.url, dataDir())).status, status)
      return t.waitFor(isSo, { timeout: 10_000 })
    }
    await untilStatus(401)
    const { lines } = await run('restore', ['--from', at('tenant'), ...tenant], dataDir())
    assert.match(lines.join(), /^changed: application .* is valid again$/)
    await untilStatus(200)
  })

  it('contains no key-encryption key without a passphrase, but names the required key', async (t) => {
    const { out } = await backup('without-key')
    const manifest = JSON.parse(await readFile(at('without-key/manifest.json'), 'utf8'))
    const id = manifest.keyEncryptionKeyId
    assert.ok(out.includes(`It does not contain the key-encryption key ${id}`))
    assert.equal(manifest.sealedKeySha256, null)
    const restored = await restore('without-key', 'keyless')
    const needs = `The server needs the key-encryption key ${id}: `
    assert.ok(restored.out.includes(`${needs}put it into `))
    const server = await PostgresServer.start()
    t.after(() => server.stop())
    const place = { dataDir: at('servers'), databaseUrl: await server.database() }
    const intoServers = await run('restore', ['--from', at('without-key')], place)
    assert.ok(intoServers.out.endsWith(`${needs}set KEY_ENCRYPTION_KEY.`), intoServers.out)
  })

  // cli/test/commands/backup.system.test.ts runs processes with the other exit codes.
  it('fails with exit code 2 when the arguments are wrong', async () => {
    const ended = await runMain(['backup'], { DATA_DIR: dataDir() })
    assert.equal(ended.code, 2, ended.err)
    assert.match(ended.err, /^backup failed: --to <folder> is missing\.\n$/)
  })

  it('refuses wrong arguments, a missing store, and a folder that contains a backup', async () => {
    await writeFile(at('wide'), Buffer.from('\ufeffcorrect horse battery', 'utf16le'))
    for (const [args, message] of [
      [['--from', 'x'], /Unknown option '--from'/],
      [['--to', 'x', '--passphrase-file', at('nothing')], /nothing cannot be read as UTF-8$/],
      [['--to', 'x', '--passphrase-file', at('wide')], /wide cannot be read as UTF-8$/],
      [['--to', 'x', '--passphrase-file', at('short')], /must have 12 to 4096 characters$/],
    ] as const)
      await assert.rejects(run('backup', args, dataDir()), { code: 'backup_usage', message })
    await assert.rejects(run('backup', ['--to', at('none')], at('nothing')), {
      code: 'store_missing',
    })
    await assert.rejects(stat(at('none')))
    await backup('once')
    await assert.rejects(backup('once'), {
      code: 'backup_exists',
      message: /exists, and is not overwritten$/,
    })
  })

  it('refuses a store of an early release, and a restore beside an old write-ahead log', async () => {
    await mkdir(at('early'))
    using early = new DatabaseSync(at('early/greeting.sqlite'))
    early.exec(`create table kysely_migration (name text, timestamp text);
      insert into kysely_migration values ('2026-12-07-first-schema', '')`)
    await assert.rejects(run('backup', ['--to', at('of-early')], at('early')), {
      code: 'store_older',
      message: /^an early release made the store: start the release .*registrations export/,
    })
    await backup('for-old-log')
    await mkdir(at('old-log'))
    await writeFile(at('old-log/greeting.sqlite-wal'), 'frames')
    await assert.rejects(restore('for-old-log', 'old-log'), {
      code: 'store_not_empty',
      message: /greeting\.sqlite-wal exists, and is not overwritten$/,
    })
  })

  describe('that is damaged or does not match', () => {
    const cases: readonly [string, string, (copy: string) => Promise<unknown>][] = [
      [
        'a changed file',
        'backup_damaged',
        async (copy) => {
          const path = join(copy, 'tenant.jsonl.gz')
          const bytes = await readFile(path)
          bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
          await writeFile(path, bytes)
        },
      ],
      ['a missing file', 'backup_damaged', (copy) => rm(join(copy, 'signing_key.jsonl.gz'))],
      ['a missing manifest', 'backup_missing', (copy) => rm(join(copy, 'manifest.json'))],
      [
        'a damaged manifest',
        'backup_damaged',
        (copy) => writeFile(join(copy, 'manifest.json'), '{"format":1}'),
      ],
      [
        'a manifest of a later release',
        'backup_newer',
        async (copy) => {
          const path = join(copy, 'manifest.json')
          const manifest = JSON.parse(await readFile(path, 'utf8'))
          delete manifest.sha256
          manifest.migrations.push('2100-01-01-later')
          await writeFile(path, manifestText(manifest))
        },
      ],
    ]
    for (const [problem, code, damage] of cases) {
      it(`is not restored: ${problem}`, async () => {
        const name = problem.replaceAll(' ', '-')
        await backup(name)
        await damage(at(name))
        await assert.rejects(restore(name, `${name}-target`), { code })
        await assert.rejects(stat(at(`${name}-target/greeting.sqlite`)))
      })
    }

    it('is not restored with the wrong passphrase', async () => {
      const restored = restore('with-key', 'wrong', '--passphrase-file', at('other'))
      await assert.rejects(restored, { code: 'passphrase_wrong' })
      await assert.rejects(stat(at('wrong/greeting.sqlite')))
    })

    it('is not restored with another key-encryption key, nor over an existing store', async () => {
      const otherKey = Buffer.alloc(32, 7).toString('base64')
      const from = ['--from', at('without-key')]
      await assert.rejects(run('restore', from, at('other-key'), otherKey), { code: 'key_wrong' })
      await assert.rejects(run('restore', from, dataDir()), { code: 'store_not_empty' })
    })
  })

  it('contains every table of the store', () => {
    const database = new DatabaseSync(join(dataDir(), 'greeting.sqlite'), { readOnly: true })
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all()
    database.close()
    // Triggers write the index for searches.
    const names = tables
      .map(({ name }) => String(name))
      .filter((name) => !/^(?:kysely_|name_search|word_search|searchable_name)/.test(name))
    assert.deepEqual(names.toSorted(), storedTables.map(({ name }) => String(name)).toSorted())
  })
})
