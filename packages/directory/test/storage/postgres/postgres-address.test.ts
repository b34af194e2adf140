import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { processorMs } from '../../../../../test/fixtures/processor-time.ts'
import { parsePostgresAddress } from '../../../src/storage/postgres/postgres-address.ts'

const canary = 'canary-9f8e7d'

/** The host and port that the driver uses for each URL. */
const reached = (text: string) =>
  parsePostgresAddress(text).servers.map(({ url }) => {
    const { host, port, user, password, database } = new pg.Client({ connectionString: url })
    return { at: `${host} ${port}`, as: `${user} ${password} ${database}` }
  })

const address = (part: string) => `postgres://u:p%40w@${part}`

const oneHost = ['db.example 5432']
const several: [string, string, string[]][] = [
  ['one host', 'db.example:5432/d', oneHost],
  ['one host in a parameter', 'other:1/d?host=db.example&port=5432', oneHost],
  ['hosts with a port each', 'h1:5433,h2:5434/d', ['h1 5433', 'h2 5434']],
  ['hosts of which one has no port', 'h1,h2:5434/d', ['h1 5432', 'h2 5434']],
  ['hosts and addresses', '[::1]:5433,127.0.0.1:5434/d', ['::1 5433', '127.0.0.1 5434']],
  ['lists in parameters', 'x/d?host=h1,h2&port=5433,5434', ['h1 5433', 'h2 5434']],
  ['one port for all hosts', 'x/d?host=h1,h2,h3&port=5433', ['h1 5433', 'h2 5433', 'h3 5433']],
  ['one port after the hosts', 'h1,h2/d?port=5433', ['h1 5433', 'h2 5433']],
  ['hosts in a parameter and no port', 'x/d?host=h1,h2', ['h1 5432', 'h2 5432']],
]

describe('a database URL', () => {
  for (const [what, part, expected] of several) {
    it(`contains ${what}, each with the same user and database`, () => {
      const servers = reached(address(part))
      assert.deepEqual(
        servers.map(({ at }) => at),
        expected,
      )
      for (const { as } of servers) assert.equal(as, 'u p@w d')
    })
  }

  it('may name several hosts even without user and password', () => {
    assert.deepEqual(
      reached('postgresql://h1:1,h2:2/d').map(({ at }) => at),
      ['h1 1', 'h2 2'],
    )
  })

  it('keeps the other options for each host', () => {
    const { servers } = parsePostgresAddress(
      address('h1,h2/d?connect_timeout=3&options=-c%20a%3Db'),
    )
    for (const { url } of servers) {
      const { searchParams } = new URL(url)
      assert.equal(searchParams.get('connect_timeout'), '3')
      assert.equal(searchParams.get('options'), '-c a=b')
    }
  })

  it('is displayed without user and password', () => {
    const parts = ['h1/d', 'h1:1,[::1]:2/d', 'x/d?host=h1,h2']
    const names = parts.map((part) => parsePostgresAddress(`postgres://u:${canary}@${part}`).name)
    assert.deepEqual(names, ['h1/d', 'h1:1,[::1]:2/d', 'h1:5432,h2:5432/d'])
  })

  const attributes: [string, boolean][] = [
    ['', true],
    ['?target_session_attrs=read-write', true],
    ['?target_session_attrs=primary', true],
    ['?target_session_attrs=any', false],
  ]
  for (const [query, needsPrimary] of attributes) {
    it(`${needsPrimary ? 'skips' : 'accepts'} a standby with "${query}"`, () => {
      assert.equal(parsePostgresAddress(address(`h1,h2/d${query}`)).needsPrimary, needsPrimary)
    })
  }

  const refused: [string, RegExp][] = [
    ['mysql://h/d', /postgres:\/\/user:password@host:port\/name/],
    ['postgres:h/d', /postgres:\/\//],
    [`postgres://u:${canary}@h1:1,/d`, /postgres:\/\//],
    [`postgres://u:${canary}@,h1/d`, /postgres:\/\//],
    [`postgres://u:${canary}@h1:1:2,h2/d`, /postgres:\/\//],
    [`postgres://u:${canary}@h1:0,h2:1/d`, /postgres:\/\//],
    [`postgres://u:${canary}@h1:65536,h2:1/d`, /postgres:\/\//],
    [`postgres://u:${canary}@h1,h2:x/d`, /postgres:\/\//],
    [`postgres://u:${canary}@x/d?host=h1,,h2`, /postgres:\/\//],
    [`postgres://u:${canary}@x/d?host=h1,h2,h3&port=1,2`, /as many ports as hosts/],
    [`postgres://u:${canary}@h1/d?port=1,2`, /as many ports as hosts/],
    [`postgres://u:${canary}@h1,h2/d?target_session_attrs=standby`, /read-write, primary, any/],
    [`postgres://u:${canary}@h1,h2/d?target_session_attrs=read-only`, /read-write, primary, any/],
  ]
  for (const [text, expected] of refused) {
    it(`is refused as ${text.replace(canary, '...')}, without its password`, () => {
      assert.throws(
        () => parsePostgresAddress(text),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'postgres_address_invalid')
          assert.match(error.message, expected)
          return !error.message.includes(canary)
        },
      )
    })
  }

  it('is read in linear time, whatever its length', () => {
    const ms = processorMs(() => {
      for (const part of ['@', ',', ':', '[', 'h,', '?host=,', '/'])
        try {
          parsePostgresAddress(`postgres://${part.repeat(20_000)}`)
        } catch {}
    })
    assert.ok(ms < 500, `${ms} ms`)
  })
})
