import assert from 'node:assert/strict'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { failToStartHere, startHere } from '../provider-here.ts'

const folder = freshFolder()
let server: PostgresServer
let count = 0

before(async () => {
  server = await PostgresServer.start()
})
after(async () => {
  await server.stop()
})

type Environment = Readonly<Record<string, string>>

const startAndStop = async (environment: Environment) =>
  (await startHere({ HTTPS_PORT: 'off', ...environment })).stop()

async function run(databaseUrl: string, statement: string) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const secretFiles = ['administrator.env', 'seeded.json', 'key-encryption.key']
const textsIn = (dataDir: string) =>
  Promise.all(secretFiles.map((name) => readFile(join(dataDir, name), 'utf8').catch(() => '')))

const tenantIn = async (dataDir: string) =>
  parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8')).TENANT_ID

const ends = ['', '-wal', '-shm', '-acknowledged']
const removeFiles = (dataDir: string, names: readonly string[]) =>
  Promise.all(names.map((name) => rm(join(dataDir, name), { force: true })))

/** Ends a store of a server, and returns the settings of its next start. */
type Loss = (dataDir: string, databaseUrl: string) => Promise<Environment>

const losses: readonly [string, 'SQLite' | 'PostgreSQL', Loss][] = [
  [
    'the data file is missing',
    'SQLite',
    async (dataDir) => {
      await removeFiles(dataDir, ['greeting.sqlite'])
      return {}
    },
  ],
  [
    'all files of SQLite are missing',
    'SQLite',
    async (dataDir) => {
      await removeFiles(
        dataDir,
        ends.map((end) => `greeting.sqlite${end}`),
      )
      return {}
    },
  ],
  [
    'only the key-encryption key and the store description remain',
    'SQLite',
    async (dataDir) => {
      const names = ends.map((end) => `greeting.sqlite${end}`)
      await removeFiles(dataDir, [...names, 'administrator.env', 'seeded.json'])
      return {}
    },
  ],
  [
    'DATABASE_URL names an empty database',
    'SQLite',
    async () => ({ DATABASE_URL: await server.database() }),
  ],
  ['DATABASE_URL is no longer set', 'PostgreSQL', async () => ({ DATABASE_URL: '' })],
  ['the database is empty', 'PostgreSQL', async () => ({ DATABASE_URL: await server.database() })],
  [
    'the database is empty, and the administrator was moved',
    'PostgreSQL',
    async (dataDir) => {
      await removeFiles(dataDir, ['administrator.env', 'seeded.json'])
      return { DATABASE_URL: await server.database() }
    },
  ],
  [
    'the tables are empty',
    'PostgreSQL',
    async (_, databaseUrl) => {
      await run(databaseUrl, 'truncate tenant, application, service_principal, signing_key cascade')
      return { DATABASE_URL: databaseUrl }
    },
  ],
]

describe('a start in a folder that lost its store (FL22)', () => {
  for (const [title, kind, lose] of losses)
    it(`is refused without changing a file if ${title} (${kind})`, async () => {
      const dataDir = join(folder, `data-${++count}`)
      const databaseUrl = kind === 'PostgreSQL' ? await server.database() : ''
      await startAndStop({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
      const settings = {
        DATA_DIR: dataDir,
        HTTPS_PORT: 'off',
        ...(await lose(dataDir, databaseUrl)),
      }
      const before = [await textsIn(dataDir), await readdir(dataDir)]
      const { code, stderr } = await failToStartHere(settings)
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^The identity provider cannot start: [^\n]+ Nothing was changed\. [^\n]+LOST_CHANGES=accept[^\n]*\.\n$/,
      )
      assert.deepEqual([await textsIn(dataDir), await readdir(dataDir)], before)

      await startAndStop({ ...settings, LOST_CHANGES: 'accept' })
      const kept = (await readdir(dataDir)).find((name) => name.startsWith('earlier-store-'))
      assert.ok(kept)
      const [administrator, seeded, key] = before[0] as string[]
      const [keptAdministrator, keptSeeded] = await textsIn(join(dataDir, kept))
      assert.deepEqual([keptAdministrator, keptSeeded], [administrator, seeded])
      assert.equal((await textsIn(dataDir))[2], key, 'the key stays, because nothing replaces it')
      await startAndStop(settings)
    })

  it('names the fault if the store cannot be read or belongs to an early release', async () => {
    const dataDir = freshFolder()
    await writeFile(join(dataDir, 'administrator.env'), 'CLIENT_ID=1')
    const settings = { DATA_DIR: dataDir, HTTPS_PORT: 'off' }
    const unreachable = 'postgres://greeting@127.0.0.1:1/greeting'
    const away = await failToStartHere({ ...settings, DATABASE_URL: unreachable })
    assert.match(
      away.stderr,
      /^The identity provider cannot start: The database \S+ cannot be reached/,
    )
    const early = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
    early.exec(
      "create table kysely_migration (name text); insert into kysely_migration values ('2026-11-01-a')",
    )
    assert.match(
      (await failToStartHere(settings)).stderr,
      /An early release made the tables of the store/,
    )
    early.close()
  })

  it('succeeds in a folder that an operator prepared, with either store', async () => {
    for (const databaseUrl of ['', await server.database()]) {
      const dataDir = freshFolder()
      const key = `${KeyEncryptionKey.generate().toBase64()}\n`
      await writeFile(join(dataDir, 'key-encryption.key'), key, { mode: 0o600 })
      await startAndStop({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
      assert.equal((await textsIn(dataDir))[2], key)
    }
  })

  it('succeeds with KEY_ENCRYPTION_KEY and the certificates of an interrupted first start', async () => {
    const dataDir = freshFolder()
    await startAndStop({ DATA_DIR: join(folder, 'other'), HTTPS_PORT: '0' })
    await cp(join(folder, 'other', 'tls'), join(dataDir, 'tls'), { recursive: true })
    const KEY_ENCRYPTION_KEY = KeyEncryptionKey.generate().toBase64()
    await startAndStop({ DATA_DIR: dataDir, KEY_ENCRYPTION_KEY })
    assert.ok(await tenantIn(dataDir))
  })
})
