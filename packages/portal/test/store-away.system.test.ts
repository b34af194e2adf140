import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startInProcess } from '../../../services/identity-provider/src/startup/start-identity-provider.ts'
import { fixtureEnvironment } from '../../../services/identity-provider/test/startup/fixture-environment.ts'
import {
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../test/fixtures/portal/portal-browser.ts'
import type { DirectoryLog } from '../../directory/src/live/directory-log.ts'
import { StorageUnavailableError } from '../../directory/src/live/index.ts'

describe('the portal while the store is unavailable', () => {
  let server: PortalServer
  let browser: PortalBrowser
  /** How many commits succeed before the store becomes unavailable. */
  let commitsLeft = Number.POSITIVE_INFINITY
  let isAway = false
  /** Whether the store cannot tell which sessions were ended. */
  let endsAreAway = false

  const interrupted = (log: DirectoryLog): DirectoryLog =>
    new Proxy(log, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'commit' && commitsLeft <= 0) isAway = true
          if (isAway) throw new StorageUnavailableError('the store does not answer')
          if (name === 'commit') commitsLeft -= 1
          return value.apply(target, args)
        }
      },
    })

  before(async () => {
    server = await startPortal({}, async (options) => {
      const provider = await startInProcess(options, {
        ...fixtureEnvironment,
        openStorage: async (parts) => {
          const storage = await fixtureEnvironment.openStorage(parts)
          return {
            ...storage,
            directory: interrupted(storage.directory),
            assertions: {
              spend: (...use) => storage.assertions.spend(...use),
              isSpent: async (...use) => {
                if (endsAreAway) throw new StorageUnavailableError('the store does not answer')
                return storage.assertions.isSpent(...use)
              },
            },
            findEndingCredentials: async (...query) => {
              if (isAway) throw new StorageUnavailableError('the store does not answer')
              return storage.findEndingCredentials(...query)
            },
          }
        },
      })
      return provider
    })
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  const names = async () => {
    const { text } = await browser.open('/portal/applications')
    return [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, name]) => name)
  }

  for (const path of ['/portal/applications', '/portal/deleted']) {
    it(`reports the outage at ${path}`, async () => {
      isAway = true
      const { status, text } = await browser.open(path)
      isAway = false
      assert.equal(status, 503)
      assert.match(text, /The store is unavailable/)
      assert.equal((await browser.open(path)).status, 200)
    })
  }

  it('AS46: shows nothing if the store cannot confirm the session', async () => {
    endsAreAway = true
    const page = await browser.open('/portal')
    const form = await browser.send('/portal/keys/rotate')
    endsAreAway = false
    assert.deepEqual([page.status, form.status], [503, 503])
    assert.match(page.text, /The store is unavailable/)
    assert.equal((await browser.open('/portal')).status, 200)
  })

  it('reports the outage in the affected part of the overview, and still shows the addresses', async () => {
    isAway = true
    const { text } = await browser.open('/portal')
    isAway = false
    assert.match(
      text,
      /<p class="problem">The store is unavailable\. Nothing was changed\. Try again/,
    )
    assert.ok(text.includes(`${server.tenantId}/oauth2/v2.0/token`))
  })

  it('changes nothing, and accepts the same form afterwards', async () => {
    const before = await names()
    isAway = true
    const fields = { display_name: 'Once', kind: 'client' }
    const { status, text } = await browser.send('/portal/applications', fields)
    isAway = false
    assert.equal(status, 503)
    assert.match(text, /The store is unavailable/)
    assert.deepEqual(await names(), before)
    assert.equal((await browser.send('/portal/applications', fields)).status, 303)
  })

  it('lists the completed part if the store becomes unavailable during a form', async () => {
    await browser.open('/portal/applications')
    commitsLeft = 1
    const sent = await browser.send('/portal/applications', { display_name: 'Half', kind: 'api' })
    isAway = false
    commitsLeft = Number.POSITIVE_INFINITY
    assert.equal(sent.status, 503)
    assert.match(sent.text, /Part of this was already done/)
    assert.doesNotMatch(sent.text, /Nothing was changed/)
    assert.ok((await names()).includes('Half'))
    const { text } = await browser.open('/portal/applications?search=Half')
    const [, path = ''] = /href="(\/portal\/applications\/[0-9a-f-]{36})"/.exec(text) ?? []
    assert.match((await browser.open(path)).text, /mark bad">missing/)
    assert.equal((await browser.send(`${path}/principal`)).status, 303)
  })
})
