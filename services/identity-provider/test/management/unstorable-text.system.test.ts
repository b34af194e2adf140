import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { openStorage, type Storage, sqliteDatabase, sqlStorage } from '@greeting/directory/storage'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { role } from './graph/applications/sample-api.ts'
import { allGraphRoles, type GraphClient } from './sample-graph.ts'
import { allManagementRoles, sampleManagement } from './server/sample-management.ts'

/** Texts that a store cannot keep: PostgreSQL has no NUL, and UTF-8 has no lone surrogates. */
const texts = {
  NUL: '\0',
  'a NUL in a word': 'a\0b',
  'an escape sequence': '\u001b[31m',
  'a high surrogate alone': 'a\ud83db',
  'a low surrogate alone': '\udc4b',
}

const trust = { name: 'ci', issuer: 'https://ci.example', subject: 's', audiences: ['a'] }

type Slot = (clients: { admin: GraphClient; manager: GraphClient }, text: string) => Write
type Write = { readonly by: GraphClient; readonly path: string; readonly body: object }

const inApplication =
  (bodyOf: (text: string) => object): Slot =>
  ({ admin: by }, text) => ({
    by,
    path: '/applications',
    body: { displayName: 'A', ...bodyOf(text) },
  })
const inTrust =
  (bodyOf: (text: string) => object): Slot =>
  ({ admin: by }, text) => ({
    by,
    path: '/applications/{id}/federatedIdentityCredentials',
    body: { ...trust, ...bodyOf(text) },
  })
const inTenant =
  (bodyOf: (text: string) => object): Slot =>
  ({ manager: by }, text) => ({ by, path: '/tenants', body: { displayName: 'T', ...bodyOf(text) } })

/** Every text that a caller can store. */
const slots: Readonly<Record<string, Slot>> = {
  'the name of an application': inApplication((displayName) => ({ displayName })),
  'an identifier URI': inApplication((text) => ({
    identifierUris: [`https://contoso.example/${text}`],
  })),
  'the name of an app role': inApplication((displayName) => ({
    appRoles: [role({ displayName })],
  })),
  'the description of an app role': inApplication((description) => ({
    appRoles: [role({ description })],
  })),
  'the value of an app role': inApplication((value) => ({ appRoles: [role({ value })] })),
  'the name of a claim': inApplication((name) => ({ optionalClaims: { accessToken: [{ name }] } })),
  'a property of a claim': inApplication((text) => ({
    optionalClaims: { accessToken: [{ name: 'idtyp', additionalProperties: [text] }] },
  })),
  'the name of a certificate': inApplication((displayName) => ({
    keyCredentials: [{ key: '', displayName }],
  })),
  'the name of a secret': ({ admin: by }, displayName) => ({
    by,
    path: '/applications/{id}/addPassword',
    body: { passwordCredential: { displayName } },
  }),
  'the name of a federated credential': inTrust((name) => ({ name })),
  'the issuer of a federated credential': inTrust((text) => ({
    issuer: `https://ci.example/${text}`,
  })),
  'the subject of a federated credential': inTrust((subject) => ({ subject })),
  'the description of a federated credential': inTrust((description) => ({ description })),
  'the audience of a federated credential': inTrust((audience) => ({ audiences: [audience] })),
  'the name of a tenant': inTenant((displayName) => ({ displayName })),
  'a domain of a tenant': inTenant((text) => ({ domains: [`contoso${text}.example`] })),
}

const stores: Readonly<Record<string, () => Promise<Storage>>> = {
  SQLite: async () => {
    const database = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
    await database.migrate()
    return sqlStorage(database)
  },
  PostgreSQL: async () =>
    openStorage({ dataDir: '', databaseUrl: (await postgres?.database()) ?? '' }),
}

let postgres: PostgresServer | undefined
before(async () => {
  postgres = await PostgresServer.start()
})
after(() => postgres?.stop())

for (const [name, open] of Object.entries(stores))
  describe(`a text that cannot be stored, sent to a server on ${name}`, () => {
    let storage: Storage
    let sample: Awaited<ReturnType<typeof sampleManagement>>
    let clients: { admin: GraphClient; manager: GraphClient }
    let id: string
    before(async () => {
      storage = await open()
      const store = patientStore(storage.directory)
      sample = await sampleManagement({ store })
      const admin = await sample.clientWith(allGraphRoles)
      clients = { admin, manager: await sample.managerWith(allManagementRoles) }
      id = (await admin.post('/applications', { displayName: 'API' })).body.id
    })
    after(() => storage.close())

    for (const [slot, writeOf] of Object.entries(slots))
      it(`is refused with 400 as ${slot}, and nothing is stored`, async () => {
        const { revision } = await wholeDirectory(sample.store)
        for (const [what, text] of Object.entries(texts)) {
          const { by, path, body } = writeOf(clients, text)
          const reply = await by.post(path.replace('{id}', id), body)
          assert.equal(reply.status, 400, what)
          assert.equal(reply.body.error.code, 'Request_BadRequest', what)
          assert.match(
            reply.body.error.message,
            /must not contain (control characters|half a surrogate pair)|must be a domain name/,
            what,
          )
        }
        assert.equal((await wholeDirectory(sample.store)).revision, revision)
        assert.deepEqual(sample.reports, [])
      })

    it('is refused in an audit log query', async () => {
      for (const text of Object.values(texts))
        for (const option of ['actor', 'target', 'action', 'reason', 'before']) {
          const query = `${option}=${encodeURIComponent(text.toWellFormed())}`
          const { status } = await clients.manager.get(`/audit?${query}`)
          // The option `before` is a GUID, so it cannot be one of these texts.
          const isRefused = text.isWellFormed() || option === 'before'
          assert.equal(status, isRefused ? 400 : 200, query)
        }
    })

    it('is distinguished from unusual texts, which are stored byte for byte', async () => {
      for (const displayName of ['\u{1f44b}\u{10ffff}', '\u202e\u200b', '\\u0000', '%00']) {
        const { body, status } = await clients.admin.post('/applications', { displayName })
        assert.equal(status, 201)
        const other = patientStore(storage.directory)
        assert.equal((await wholeDirectory(other)).application(body.id)?.displayName, displayName)
      }
    })
  })
