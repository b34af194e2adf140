import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../../test/fixtures/postgres-server.ts'
import {
  client,
  local,
  server as named,
  thief,
} from '../../../../../test/fixtures/tls-identities.ts'
import { parsePostgresAddress } from '../../../src/storage/postgres/postgres-address.ts'
import { PostgresPools } from '../../../src/storage/postgres/postgres-pools.ts'
import { openStorage } from '../../../src/storage/storage.ts'

const canary = 'canary-9f8e7d'

/** Servers with a certificate for 127.0.0.1, for another name, and without TLS. */
const servers: Record<'here' | 'elsewhere' | 'plain', PostgresServer | undefined> = {
  here: undefined,
  elsewhere: undefined,
  plain: undefined,
}
const folder = freshFolder()

before(async () => {
  const texts = { local, named, client, thief }
  for (const [name, { cert, key }] of Object.entries(texts)) {
    await writeFile(join(folder, `${name}.crt`), cert)
    await writeFile(join(folder, `${name}.key`), key)
  }
  await writeFile(join(folder, 'junk.crt'), canary)
  for (const name of ['here', 'elsewhere', 'plain'] as const) {
    const server = await PostgresServer.start()
    servers[name] = server
    await server.query('create role client superuser login')
    await server.query('create role encrypted superuser login')
  }
  await servers.here?.useTls(local, client.cert)
  await servers.elsewhere?.useTls(named, client.cert)
})

after(async () => {
  for (const server of Object.values(servers)) await server?.stop()
})

type Server = keyof typeof servers

/** @param query its values name files of the folder, such as `@local.crt` */
function urlOf(server: Server, user: string, query: string) {
  const files = query.replaceAll('@', `${folder}/`)
  return `postgres://${user}:${canary}@127.0.0.1:${servers[server]?.port}/postgres?${files}`
}

const withClient = '&sslcert=@client.crt&sslkey=@client.key'

describe('a connection to PostgreSQL', () => {
  // Other tests of this process may trust the authority.
  const trusted = getCACertificates()
  before(() => setDefaultCACertificates(rootCertificates))
  after(() => setDefaultCACertificates(trusted))

  for (const [server, user, query, isEncrypted] of [
    ['here', 'postgres', '', false],
    ['here', 'postgres', 'sslmode=disable', false],
    ['plain', 'postgres', 'sslmode=disable', false],
    ['here', 'encrypted', 'sslmode=require', true],
    ['elsewhere', 'encrypted', 'sslmode=require', true],
    ['elsewhere', 'encrypted', 'sslmode=require&sslrootcert=@named.crt', true],
    ['elsewhere', 'encrypted', 'sslmode=verify-ca&sslrootcert=@named.crt', true],
    ['here', 'encrypted', 'sslmode=verify-full&sslrootcert=@local.crt', true],
    ['here', 'client', `sslmode=verify-full&sslrootcert=@local.crt${withClient}`, true],
  ] as const) {
    it(`is ${isEncrypted ? '' : 'not '}encrypted for the user ${user} at server '${server}' with "${query}"`, async () => {
      const pools = new PostgresPools(parsePostgresAddress(urlOf(server, user, query)))
      const connection = await pools.connect()
      const { rows } = await connection.query(
        'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
        [],
      )
      connection.release()
      await pools.end()
      assert.deepEqual(rows, [{ ssl: isEncrypted }])
    })
  }

  for (const [what, server, user, query, sentence] of [
    [
      'another authority',
      'here',
      'encrypted',
      'sslmode=verify-full&sslrootcert=@thief.crt',
      /of another authority: .*sslrootcert/,
    ],
    [
      'another authority',
      'here',
      'encrypted',
      'sslmode=require&sslrootcert=@thief.crt',
      /of another authority/,
    ],
    [
      'a private authority that is not named',
      'here',
      'encrypted',
      'sslmode=verify-ca',
      /of another authority/,
    ],
    [
      'another name',
      'elsewhere',
      'encrypted',
      'sslmode=verify-full&sslrootcert=@named.crt',
      /for another name: /,
    ],
    ['a server without TLS', 'plain', 'encrypted', 'sslmode=require', /offers no TLS: /],
    ['a URL without TLS', 'here', 'encrypted', '', /requires TLS: add sslmode/],
    [
      'a missing client certificate',
      'here',
      'client',
      'sslmode=require',
      /requires a client certificate: .*sslcert/,
    ],
    [
      'the certificate of another user',
      'here',
      'client',
      'sslmode=require&sslcert=@thief.crt&sslkey=@thief.key',
      /refuses the client certificate: /,
    ],
  ] as const) {
    it(`fails in one sentence without the password for ${what} with "${query}"`, async () => {
      const databaseUrl = urlOf(server, user, query)
      await assert.rejects(openStorage({ dataDir: '', databaseUrl }), (error: Error) => {
        assert.match(error.message, /^The database 127\.0\.0\.1:\d+\/postgres [^\n]*\.$/)
        assert.match(error.message, sentence)
        return !error.message.includes(canary)
      })
    })
  }

  for (const [query, expected] of [
    ['sslmode=prefer', /sslmode to be disable, require, verify-ca, verify-full/],
    ['sslrootcert=@local.crt', /sslmode to be/],
    ['sslmode=require&sslcert=@client.crt', /sslcert and sslkey together/],
    ['sslmode=require&sslcert=@client.crt&sslkey=@thief.key', /a certificate and its private key/],
    [
      'sslmode=require&sslrootcert=@none.crt',
      /sslrootcert to be a readable file in PEM, not ".*none/,
    ],
    ['sslmode=require&sslrootcert=@junk.crt', /sslrootcert to be a readable file in PEM/],
    ['sslmode=require&sslcrl=@junk.crt', /only sslmode, sslrootcert, sslcert, sslkey/],
    ['ssl=true', /only sslmode/],
  ] as const) {
    it(`is refused with "${query}", without a secret`, () => {
      assert.throws(
        () => parsePostgresAddress(urlOf('here', 'client', query)),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'postgres_address_invalid')
          assert.match(error.message, expected)
          return !error.message.includes(canary)
        },
      )
    })
  }
})
