import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { tenant } from '../../../../test/fixtures/directory/sample.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { newMark } from '../../src/live/commit.ts'
import { put } from '../../src/model/directory-change.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'

const canary = 'canary-9f8e7d'
/** Ends a test whose pool never recovers. */
const patienceMs = 60_000

let server: PostgresServer
let databaseUrl: string
let storage: Storage

before(async () => {
  server = await PostgresServer.start(undefined, process.env.POSTGRES_PROGRAMS)
  databaseUrl = await server.database()
  storage = await openStorage({ dataDir: '', databaseUrl })
})

after(async () => {
  await storage.close()
  await server.stop()
})

const latest = async () => (await storage.directory.changesAfter()).latest
const revision = async () => (await latest()).revision
const commit = async (displayName = 'Contoso') =>
  storage.directory.commit(await latest(), newMark(), [put('tenant', tenant({ displayName }))], [])

const nameOf = (url: string) => new URL(url).pathname.slice(1)

describe('a database of another release', () => {
  for (const [what, name, sentence] of [
    ['is used if each later migration only adds', '2999-01-01-more', undefined],
    [
      'is refused in one sentence if a later migration removed a part',
      '2999-01-01-less-contract',
      'A later release changed the tables of this store (2999-01-01-less-contract): start that release, or restore a backup of this one.',
    ],
    [
      'is refused in one sentence if its migrations differ from this release',
      '2026-11-21-between',
      /^The tables of the store do not belong to this release: corrupted migrations: /,
    ],
  ] as const) {
    it(what, async () => {
      const url = await server.database()
      await (await openStorage({ dataDir: '', databaseUrl: url })).close()
      const client = new pg.Client(url)
      await client.connect()
      await client.query(
        `insert into kysely_migration values ('${name}', '2999-01-01T00:00:00.000Z')`,
      )
      await client.end()
      const opened = openStorage({ dataDir: '', databaseUrl: url })
      if (sentence === undefined) await (await opened).close()
      else await assert.rejects(opened, { code: 'storage_unavailable', message: sentence })
    })
  }
})

describe('a database that cannot be opened', () => {
  const opening = (part: Partial<Record<'port' | 'username' | 'pathname', string>>) => {
    const url = Object.assign(new URL(databaseUrl), { password: canary }, part)
    return openStorage({ dataDir: '', databaseUrl: url.href })
  }

  for (const [what, part, sentence] of [
    ['the port is closed', { port: '1' }, /cannot be reached: connect ECONNREFUSED/],
    ['it does not exist', { pathname: '/nowhere' }, /\/nowhere does not exist \(3D000/],
    ['the user is unknown', { username: 'nobody' }, /refuses the user or the password \(28000/],
  ] as const) {
    it(`is reported in one sentence without the password when ${what}`, async () => {
      await assert.rejects(opening(part), (error: Error & { code: string }) => {
        assert.equal(error.code, 'storage_unavailable')
        assert.match(error.message, /^The database 127\.0\.0\.1:\d+\/\w+ [^\n]*\.$/)
        assert.match(error.message, sentence)
        assert.ok(!error.message.includes(canary))
        return true
      })
    })
  }

  for (const [what, answer] of [
    ['returns the request', (request: Buffer) => request],
    ['speaks HTTP', () => 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
    ['sends zero bytes', () => '\0\0\0\0\0\0\0\0'],
  ] as const) {
    it(`is reported in one sentence when the server ${what}`, async () => {
      const otherServer = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.on('data', (request) => socket.end(answer(request)))
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => otherServer.on('listening', resolve))
      const { port } = otherServer.address() as { port: number }
      await assert.rejects(opening({ port: String(port) }), {
        code: 'storage_unavailable',
        message:
          /^The database 127\.0\.0\.1:\d+\/\w+ (cannot be reached|does not answer as PostgreSQL does): [^\n]+\.$/,
      })
      otherServer.close()
    })
  }

  it('is reported if a host accepts the connection but never responds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.on('listening', resolve))
    const { port } = silent.address() as { port: number }
    await assert.rejects(opening({ port: String(port) }), { code: 'storage_unavailable' })
    silent.close()
  })
})

describe('a database that fails during use (FL20)', () => {
  it('is unavailable while it is down, keeps acknowledged changes, and recovers without help', async () => {
    assert.notEqual(await commit('before'), 'conflict')
    const known = await revision()
    await server.kill()
    await assert.rejects(commit(), { code: 'storage_unavailable' })
    await server.resume()
    assert.equal(await eventually(revision), known)
    assert.notEqual(await eventually(() => commit('after')), 'conflict')
  })

  it('recovers after each reset of all connections', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await revision()
      const working = Promise.allSettled(Array.from({ length: 20 }, () => revision()))
      await server.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(databaseUrl)}'`,
      )
      for (const outcome of await working) {
        const cause = outcome.status === 'rejected' ? outcome.reason : undefined
        assert.ok(cause === undefined || cause.code === 'storage_unavailable', String(cause))
      }
      assert.equal(await eventually(revision), before)
      assert.notEqual(await eventually(() => commit(`round ${round}`)), 'conflict')
    }
  })

  it("abandons a change that waits for another program's lock", async () => {
    const base = await latest()
    const holder = new pg.Client({ connectionString: databaseUrl })
    await holder.connect()
    await holder.query('begin; lock table revision in exclusive mode')
    await assert.rejects(storage.directory.commit(base, newMark(), [put('tenant', tenant())], []), {
      code: 'storage_unavailable',
      message: /is locked by another program \(55P03/,
    })
    assert.equal(await revision(), base.revision)
    await holder.query('rollback')
    await holder.end()
    assert.notEqual(await commit(), 'conflict')
  })

  it('fails a change after one timeout while the synchronous standby is missing', async () => {
    const base = await latest()
    await server.query("alter system set synchronous_standby_names = 'missing'")
    await server.query('select pg_reload_conf()')
    // The processes of PostgreSQL read the setting one after the other, so a write may still succeed.
    const probe = () => server.query("select pg_logical_emit_message(true, 'probe', '')")
    const probeWaits = () => Promise.race([probe().then(() => false), setTimeout(500, true)])
    try {
      while (!(await probeWaits()));
      const change = commit('given up')
      const reading = await revision()
      assert.equal(reading, base.revision, 'a change that waits for the standby is not visible')
      await assert.rejects(change, {
        code: 'storage_unavailable',
        message: /cannot be reached: /,
      })
    } finally {
      await server.query('alter system reset synchronous_standby_names')
      await server.query('select pg_reload_conf()')
    }
    // The server has stored the change. It becomes visible when no standby is required.
    while ((await eventually(revision)) === base.revision) await setTimeout(10)
    assert.equal(await revision(), base.revision + 1)
    assert.notEqual(await eventually(() => commit('after')), 'conflict')
  })

  it('serves more concurrent reads than it has connections', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => revision()))
    assert.equal(new Set(answers).size, 1)
  })

  it('reports that it accepts no writes if it is a standby', async () => {
    const name = nameOf(databaseUrl)
    await server.query(`alter database ${name} set default_transaction_read_only = on`)
    const standby = await openStorage({ dataDir: '', databaseUrl })
    const base = await latest()
    await assert.rejects(standby.directory.commit(base, newMark(), [put('tenant', tenant())], []), {
      code: 'storage_unavailable',
      message: /accepts no writes \(25006/,
    })
    await standby.close()
    await server.query(`alter database ${name} reset default_transaction_read_only`)
  })
})

/** Repeats a call until the pool has replaced its reset connections. */
async function eventually<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await call()
    } catch (cause) {
      if (performance.now() - startedAt > patienceMs) throw cause
    }
  }
}
