import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  type LabProvider,
  startLabProvider,
} from '../../../../services/identity-provider/src/startup/start-lab-provider.ts'
import {
  hiddenFieldsOf,
  PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'
import { portalActions } from '../../src/index.ts'

const registrations = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)
const confirmed = { minutes: 10 }

describe('portal sessions', () => {
  let provider: LabProvider
  let server: PortalServer
  let url: string
  let path: string
  before(async () => {
    const start = async (options: object) => {
      provider = await startLabProvider(options)
      return provider
    }
    server = await startPortal({ registrations, portal: 'on' }, start)
    url = provider.url
    path = `/portal/applications/${server.administrator.clientId}/credentials`
  })
  after(() => server?.[Symbol.asyncDispose]())

  const secrets = async (browser: PortalBrowser) =>
    (await browser.open(path)).text.match(/Remove secret<\/button>/g)?.length ?? 0
  const link = async () => {
    const { clientId, clientSecret } = server.administrator
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret })
    const answer = await fetch(`${url}/portal/links`, { method: 'POST', body })
    return ((await answer.json()) as { url: string }).url
  }

  it('AS45: require the key in the path and the matching cookie', async () => {
    const [owner, other] = [await server.signedIn(), await server.signedIn()]
    const thief = new PortalBrowser(url)
    const chosen = '0'.repeat(32)
    const digest = createHash('sha256').update(chosen).digest('hex').slice(0, 8)
    const renamed = owner.cookie.replace(/^(__Host-greeting-portal-)\w+/, `$1${digest}`)
    for (const [cookie, base] of [
      [owner.cookie, '/portal'],
      ['', owner.base],
      [owner.cookie, other.base],
      [other.cookie, owner.base],
      [owner.cookie, `/portal/s-${chosen}`],
      [renamed, `/portal/s-${chosen}`],
    ] as const) {
      thief.cookie = cookie
      thief.base = base
      assert.equal((await thief.open('/portal')).status, 401)
      thief.base = base
      const { form_token = '' } = await formOf(owner, `${path}/secrets`)
      const fields = { form_token, description: 'stolen', days: '730' }
      const sent = await thief.post(`${path}/secrets`, new URLSearchParams(fields))
      assert.equal(sent.status, 401)
      assert.doesNotMatch(sent.text, /was made/)
    }
  })

  it('AS45: never send the key to a request without the secret', async () => {
    const owner = await server.signedIn()
    const key = owner.base.slice('/portal/s-'.length)
    assert.match(key, /^[0-9a-f]{32}$/)
    for (const target of ['/portal', '/portal/sign-in', '/portal/x', '/portal/file', '/']) {
      const headers = { cookie: owner.cookie, accept: 'text/html' }
      const answer = await fetch(`${url}${target}`, { headers, redirect: 'manual' })
      const all = `${[...answer.headers]}${await answer.text()}`
      assert.ok(!all.includes(key), target)
    }
    assert.ok(!owner.cookie.includes(key))
  })

  it('AS45: inform a browser that its session has another address', async () => {
    const owner = await server.signedIn()
    owner.base = '/portal'
    assert.match((await owner.open('/portal/keys')).text, /signed in at another address/)
  })

  it("have separate cookies, so that two tabs do not end each other's session, and at most six", async () => {
    const browser = await server.signedIn()
    const first = browser.base
    for (let count = 2; count <= 8; count += 1) {
      const { clientId, clientSecret } = server.administrator
      await browser.signIn(clientId, clientSecret)
      assert.equal(browser.cookie.split('; ').length, Math.min(count, 6))
    }
    assert.equal((await browser.open('/portal')).status, 200)
    browser.base = first
    assert.equal((await browser.open('/portal')).status, 401, 'the oldest is forgotten')
  })

  it('AS46: end when their browser signs out, so the old cookies and form tokens get 401', async () => {
    const browser = await server.signedIn()
    const fields = await formOf(browser, `${path}/secrets`)
    const { clientId, clientSecret } = server.administrator
    const tab = { cookie: browser.cookie, base: browser.base }
    await browser.signIn(clientId, clientSecret)
    const stolen = [tab, { cookie: browser.cookie, base: browser.base }]
    await browser.open('/portal')
    assert.equal((await browser.send('/portal/sign-out')).location, '/portal/sign-in')
    assert.equal(browser.cookie, '')
    for (const { cookie, base } of stolen) {
      const thief = new PortalBrowser(url)
      Object.assign(thief, { cookie, base })
      assert.equal((await thief.open('/portal')).status, 401)
      const body = new URLSearchParams({ ...fields, description: 'stolen' })
      Object.assign(thief, { base })
      assert.equal((await thief.post(`${path}/secrets`, body)).status, 401)
    }
  })

  it('AS47: accept changes for ten minutes after a proof, and then require the secret', async () => {
    const browser = await server.signedIn()
    const count = await secrets(browser)
    provider.lab.clock.advance(confirmed)
    await browser.open(path)
    const entries = { description: 'kept', days: '30' }
    const asked = await browser.send(`${path}/secrets`, entries)
    assert.equal(asked.status, 401)
    assert.match(asked.text, /<h1><bdi>Confirm the change<\/bdi><\/h1>[\s\S]*<dd>kept<\/dd>/)
    assert.equal(await secrets(browser), count, 'nothing was changed')
    const stolen = { cookie: browser.cookie, base: browser.base }

    await browser.open(path)
    await browser.send(`${path}/secrets`, entries)
    const wrong = await browser.send(`${path}/secrets`, { confirm_secret: 'wrong' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /The client ID or the client secret is wrong/)
    const { clientSecret } = server.administrator
    const made = await browser.send(`${path}/secrets`, { confirm_secret: clientSecret })
    assert.equal(made.status, 200)
    assert.match(made.text, /The secret was created[\s\S]*<dd>/)
    assert.ok(!asked.text.includes(clientSecret) && !wrong.text.includes(clientSecret))
    assert.equal(await secrets(browser), count + 1)
    assert.notEqual(browser.base, stolen.base, 'the key is new')
    await browser.send(`${path}/secrets`, { ...entries, description: 'second' })
    assert.equal(await secrets(browser), count + 2, 'no second question')

    const thief = new PortalBrowser(url)
    Object.assign(thief, stolen)
    assert.equal((await thief.open(path)).status, 200)
    assert.equal((await thief.send(`${path}/secrets`, entries)).status, 401)
    assert.equal(await secrets(browser), count + 2, 'an older copy stays without the proof')
  })

  it('AS47: accept a new link of the same administrator once instead of the secret', async () => {
    const browser = await server.signedIn()
    provider.lab.clock.advance(confirmed)
    const send = async (confirm_link: string) => {
      await browser.open('/portal/keys')
      await browser.send('/portal/keys/rotate')
      return browser.send('/portal/keys/rotate', { confirm_link })
    }
    const fresh = await link()
    for (const wrong of ['x', `${url}/portal/link?code=x`, `${fresh.slice(0, -3)}AAA`]) {
      const { status, text } = await send(wrong)
      assert.equal(status, 401)
      assert.match(text, /The link has expired, was used, or belongs to another administrator/)
    }
    const done = await send(fresh)
    assert.deepEqual([done.status, done.location], [303, '/portal/keys'])
    provider.lab.clock.advance(confirmed)
    assert.equal((await send(fresh)).status, 401)
  })

  it('AS47: limit and log wrong secrets in a confirmation as in a sign-in', async ({ mock }) => {
    const browser = await server.signedIn()
    provider.lab.clock.advance(confirmed)
    // The limit admits one more attempt every three seconds.
    const nowMs = performance.now()
    mock.method(performance, 'now', () => nowMs)
    const statuses: number[] = []
    for (let count = 0; count <= 20; count += 1) {
      await browser.open('/portal/keys')
      await browser.send('/portal/keys/rotate')
      statuses.push((await browser.send('/portal/keys/rotate', { confirm_secret: 'x' })).status)
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
    let text = ''
    // The server writes sign-ins in batches.
    for (let count = 0; count < 40 && !text.includes('portal.confirm'); count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      text = (await browser.open('/portal/logs/export?log=sign-ins')).text
    }
    assert.match(text, /"portal\.confirm"/)
    provider.lab.clock.advance({ minutes: 2 })
  })

  it('AS47: keep a whole registrations file and its plan until the confirmation', async () => {
    const browser = await server.signedIn()
    const file = JSON.stringify({ clients: [{ displayName: 'Confirmed "job"' }] })
    const text = `${file}\n${' '.repeat(300_000)}`
    await browser.open('/portal/file')
    const planned = await sendFile(browser, '/portal/file/plan', { file: text })
    assert.match(planned.text, /Confirmed/)
    provider.lab.clock.advance(confirmed)
    const asked = await sendFile(browser, '/portal/file/apply', { file: text })
    assert.match(asked.text, /Confirm the change/)
    assert.match(asked.text, /enctype="multipart\/form-data"/)
    const proof = { confirm_secret: server.administrator.clientSecret }
    const done = await sendFile(browser, '/portal/file/apply', proof)
    assert.match(done.text, /Done: the directory matches the file/)
  })

  it('AS47: require no proof for forms without permanent changes', () => {
    const free = portalActions.filter(({ changesNothing }) => changesNothing)
    assert.deepEqual(
      free.map(({ path: one }) => one),
      [
        '/portal/token/request',
        '/portal/token/check',
        '/portal/file/plan',
        '/portal/lab/arm',
        '/portal/lab/remove',
        '/portal/lab/clear',
        '/portal/lab/clock',
        '/portal/lab/forgeries',
        '/portal/lab/requests/clear',
      ],
    )
    assert.ok(portalActions.length - free.length > 20)
  })
})

/** The hidden fields of a form on the page of the credentials of the administrator. */
async function formOf(browser: PortalBrowser, action: string): Promise<Record<string, string>> {
  const { text } = await browser.open(action.slice(0, action.lastIndexOf('/')))
  return hiddenFieldsOf(text, action)
}

/** Sends a form with a file, with the fields of the last page. */
function sendFile(browser: PortalBrowser, action: string, fields: Record<string, string>) {
  const body = new FormData()
  const all = { ...hiddenFieldsOf(browser.seen, action), ...fields }
  for (const [name, value] of Object.entries(all)) body.set(name, value)
  return browser.post(action, body)
}
