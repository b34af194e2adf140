import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { startIdentityProviderIn } from '../../../test/fixtures/identity-provider.ts'
import { PostgresServer } from '../../../test/fixtures/postgres-server.ts'
import { run } from '../../../test/packages/program.ts'

const root = join(import.meta.dirname, '../../..')
const script = join(root, 'deploy/chart/files/backup.mjs')
const service = join(root, 'services/identity-provider/src/main.ts')
const [oldest, older] = ['greeting-2026-01-01T00-00-00-000Z', 'greeting-2026-01-02T00-00-00-000Z']

/** A folder with two backups, the draft of a killed job, and a folder of another program. */
function backupFolder() {
  const folder = freshFolder()
  for (const name of [oldest, older, `${older}.trial`, 'other'])
    mkdirSync(join(folder, 'backups', name), { recursive: true })
  return folder
}

/** Runs the job; it keeps two backups. */
function runJob(folder: string, main: string, settings: Readonly<Record<string, string>>) {
  const backups = join(folder, 'backups')
  const own = { BACKUPS_KEPT: '2', BACKUP_DIR: backups, MAIN: main }
  const { status, stderr } = run(process.execPath, [script], folder, { ...own, ...settings })
  return { status, stderr, names: readdirSync(backups).toSorted() }
}

it('the backup job restores a PostgreSQL backup as a trial, and keeps the newest backups', async (t) => {
  const folder = backupFolder()
  const server = await PostgresServer.start()
  t.after(() => server.stop())
  const databaseUrl = await server.database()
  const keyEncryptionKey = randomBytes(32).toString('base64')
  const options = { databaseUrl, keyEncryptionKey }
  const provider = await startIdentityProviderIn(join(folder, 'data'), options)
  await provider.stop()
  const settings = { DATABASE_URL: databaseUrl, KEY_ENCRYPTION_KEY: keyEncryptionKey }

  const { status, stderr, names } = runJob(folder, service, settings)
  assert.equal(status, 0, stderr)
  const [kept, made = '', ...others] = names
  assert.deepEqual([kept, ...others], [older, 'other'])
  assert.ok(existsSync(join(folder, 'backups', made, 'manifest.json')))
  assert.match(stderr, /backup: greeting-\S+ was restored for a trial\. 2 backups are kept\.\n$/)
  assert.equal(stderr.match(/^tenant: \d+ rows$/gm)?.length, 2)

  const other = { ...settings, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const wrong = runJob(folder, service, other)
  assert.equal(wrong.status, 1)
  assert.match(wrong.stderr, /restore failed: the backup needs the key-encryption key/)
  assert.deepEqual(wrong.names, names)
})

for (const [fails, sentence] of [
  ['backup', ''],
  ['restore', 'could not be restored, and is removed'],
] as const)
  it(`the backup job removes no earlier backup if its ${fails} fails`, async () => {
    const folder = backupFolder()
    const main = join(folder, 'main.mjs')
    writeFileSync(
      main,
      `import { mkdirSync } from 'node:fs'
      const [name, , folder] = process.argv.slice(2)
      if (name === '${fails}') process.exit(1)
      mkdirSync(name === 'backup' ? folder : process.env.DATA_DIR)`,
    )
    const { status, stderr, names } = runJob(folder, main, {})
    assert.equal(status, 1)
    assert.ok(stderr.includes(sentence))
    assert.deepEqual(names, [oldest, older, 'other'])
  })
