import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { remove } from '@greeting/directory'
import { openStorage } from '@greeting/directory/storage'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { hiddenFieldsOf, PortalBrowser } from '../../../../test/fixtures/portal/portal-browser.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import type { Service } from '../../src/startup/service.ts'
import { startHere } from '../provider-here.ts'

const effectiveEverywhereMs = 5000

const stores: [string, () => Promise<AsyncDisposable & { readonly databaseUrl?: string }>][] = [
  ['SQLite', async () => ({ [Symbol.asyncDispose]: async () => undefined })],
  [
    'PostgreSQL',
    async () => {
      const server = await PostgresServer.start()
      const databaseUrl = await server.database()
      return { databaseUrl, [Symbol.asyncDispose]: () => server.stop() }
    },
  ],
]

for (const [name, startStore] of stores) {
  describe(`a portal session at two servers on one ${name} (AS46)`, () => {
    const cleanup = new AsyncDisposableStack()
    let servers: readonly Service[]
    let administrator: { readonly CLIENT_ID?: string; readonly CLIENT_SECRET?: string }
    let credentials: string
    let databaseUrl: string | undefined
    let dataDir: string

    before(async () => {
      dataDir = freshFolder()
      databaseUrl = cleanup.use(await startStore()).databaseUrl
      const environment = {
        DATA_DIR: dataDir,
        KEY_ENCRYPTION_KEY: KeyEncryptionKey.generate().toBase64(),
        HTTPS_PORT: 'off',
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      }
      const first = await startHere(environment)
      cleanup.defer(() => first.stop())
      const second = await startHere(environment)
      cleanup.defer(() => second.stop())
      servers = [first, second]
      administrator = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))
      credentials = `/portal/applications/${administrator.CLIENT_ID}/credentials`
    })
    after(() => cleanup.disposeAsync())

    const signedIn = async (secret = administrator.CLIENT_SECRET ?? '') => {
      const browser = new PortalBrowser(servers[0]?.url ?? '')
      await browser.signIn(administrator.CLIENT_ID ?? '', secret)
      return browser
    }

    /** A copy of a session, with the form that makes a secret, at each of the servers. */
    async function copiesOf(browser: PortalBrowser) {
      const { cookie, base } = browser
      const { text } = await browser.open(credentials)
      const { form_token = '' } = hiddenFieldsOf(text, `${credentials}/secrets`)
      assert.ok(form_token)
      return servers.map(({ url }) => async () => {
        const thief = new PortalBrowser(url)
        const body = new URLSearchParams({ form_token, description: 'stolen' })
        const statusOf = async (request: () => Promise<{ readonly status: number }>) => {
          for (let attempt = 1; ; attempt += 1) {
            Object.assign(thief, { cookie, base })
            const { status } = await request()
            // A store on a busy machine may need more than the two seconds that the server waits.
            if (status !== 503 || attempt === 20) return status
          }
        }
        return [
          await statusOf(() => thief.open('/portal')),
          await statusOf(() => thief.post(`${credentials}/secrets`, body)),
        ]
      })
    }

    /** Waits for changes of registrations, which each server follows. */
    async function allEnd(copies: Awaited<ReturnType<typeof copiesOf>>): Promise<void> {
      const startedAt = performance.now()
      for (const copy of copies) {
        for (;;) {
          const askedAfterMs = performance.now() - startedAt
          const [page] = await copy()
          if (page === 401) break
          assert.ok(askedAfterMs < effectiveEverywhereMs, 'it continues')
          await setTimeout(25)
        }
        assert.deepEqual(await copy(), [401, 401])
      }
    }

    it('ends immediately at both servers when the browser signs out', async () => {
      const browser = await signedIn()
      const copies = await copiesOf(browser)
      for (const copy of copies) assert.deepEqual(await copy(), [200, 200])
      await browser.open('/portal')
      assert.equal((await browser.send('/portal/sign-out')).status, 303)
      for (const copy of copies) assert.deepEqual(await copy(), [401, 401])
    })

    it('ends when the secret that started it is removed', async () => {
      const browser = await signedIn()
      const startedAt = performance.now()
      const make = async () => {
        await browser.open(credentials)
        return browser.send(`${credentials}/secrets`, { description: 'second' })
      }
      let made = await make()
      // The other server changed the application, and this one follows it.
      while (made.status === 412 && performance.now() - startedAt < 12 * effectiveEverywhereMs)
        made = await make()
      const secret = /<dt>Value<\/dt><dd><code class="copyable">([^<]+)</.exec(made.text)?.[1] ?? ''
      const other = await signedIn(secret)
      const copies = await copiesOf(other)
      const page = await browser.open(credentials)
      const row = page.text.slice(page.text.indexOf('second</th>'))
      const { form_token = '' } = hiddenFieldsOf(page.text, `${credentials}/remove-secret`)
      const [, key_id = ''] = /name="key_id" value="([^"]+)"/.exec(row) ?? []
      const body = new URLSearchParams({ form_token, key_id })
      assert.equal((await browser.post(`${credentials}/remove-secret`, body)).status, 303)
      await allEnd(copies)
      assert.equal((await browser.open('/portal')).status, 200)
    })

    it('ends when its client loses its last management role', async () => {
      const copies = await copiesOf(await signedIn())
      const storage = await openStorage({ dataDir, databaseUrl })
      const directory = patientStore(storage.directory)
      await directory.update((current) => {
        const { CLIENT_ID = '' } = administrator
        const changes = current
          .servicePrincipalsOfApplication(CLIENT_ID)
          .flatMap(({ id }) => current.assignmentsOf(id))
          .map(({ id }) => remove('appRoleAssignment', id))
        assert.ok(changes.length > 0)
        return { changes, audit: [], result: undefined }
      })
      await storage.close()
      await allEnd(copies)
    })
  })
}
