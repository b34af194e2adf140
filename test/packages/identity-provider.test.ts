import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PostgresServer } from '../fixtures/postgres-server.ts'
import { Consumer } from './consumer.ts'
import { run, runtimes } from './program.ts'

const registrations = join(import.meta.dirname, '../../services/greeting-api/registrations.json')

/** Starts it twice with the same options. Prints the status of a token request, and whether the keys are kept. */
const program = `
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startIdentityProvider } from '@greeting/identity-provider'

const [registrations, ...rest] = process.argv.slice(2)
const options = { registrations, ...Object.fromEntries(rest.map((one) => one.split('='))) }
const keySets = []
for (const start of ['first', 'second']) {
  await using provider = await startIdentityProvider(options)
  keySets.push(await (await fetch(provider.url + '/common/discovery/keys')).text())
  if (start === 'second') continue
  const seeded = JSON.parse(readFileSync(join(provider.dataDir, 'seeded.json'), 'utf8'))
  const [api, client] = [seeded.apis[0], seeded.clients[0]]
  const answer = await fetch(provider.url + '/' + seeded.tenantId + '/oauth2/v2.0/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.applicationId,
      client_secret: client.clientSecret,
      scope: api.identifierUri + '/.default',
    }),
  })
  const { access_token: token = '' } = await answer.json()
  console.log(answer.status, token.split('.').length)
}
console.log(keySets[0] === keySets[1] ? 'kept' : 'new')
`

describe('startIdentityProvider from the installed package', () => {
  const consumer = new Consumer().install('identity-provider')
  let postgres: PostgresServer
  before(async () => {
    consumer.write('start.mjs', program)
    postgres = await PostgresServer.start()
  })
  after(async () => {
    await postgres.stop()
    consumer[Symbol.dispose]()
  })

  const storages: readonly (readonly [string, (name: string) => Promise<string[]>, string])[] = [
    ['in memory', async () => [], 'new'],
    ['in a SQLite file', async (name) => [`dataDir=${name}`], 'kept'],
    [
      'in PostgreSQL',
      async (name) => [`dataDir=${name}`, `databaseUrl=${await postgres.database()}`],
      'kept',
    ],
  ]
  for (const runtime of ['Node 24', 'Node 26'] as const) {
    for (const [title, options, keys] of storages) {
      it(`on ${runtime} issues a token with its directory ${title}, and releases all resources`, async () => {
        const folder = join(consumer.folder, `${runtime} ${title}`)
        const args = [join(consumer.folder, 'start.mjs'), registrations, ...(await options(folder))]
        const { status, stdout, stderr } = run(runtimes[runtime], args, consumer.folder)
        assert.equal(stderr, '')
        assert.equal(stdout, `200 3\n${keys}\n`)
        assert.equal(status, 0)
      })
    }
  }
})
