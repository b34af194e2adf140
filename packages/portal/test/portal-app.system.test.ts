import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, describe, it } from 'node:test'
import {
  PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../test/fixtures/portal/portal-browser.ts'

/** The default of the setting. */
const wrongAttemptsPerMinute = 20

describe('the portal', () => {
  let server: PortalServer
  let url: string
  before(async () => {
    server = await startPortal()
    url = server.provider.url
  })
  after(() => server?.[Symbol.asyncDispose]())

  const link = async (fields = server.administrator as Record<string, string>) =>
    fetch(`${url}/portal/links`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: fields.clientId ?? '',
        client_secret: fields.clientSecret ?? '',
      }),
    })

  it('requires a sign-in before every page, and then returns to the page', async () => {
    const browser = new PortalBrowser(url)
    const asked = await browser.open('/portal?x=1')
    assert.equal(asked.status, 401)
    assert.match(asked.text, /<h1><bdi>Sign in<\/bdi><\/h1>/)
    const { clientId, clientSecret } = server.administrator
    const fields = { client_id: clientId, client_secret: clientSecret }
    const signedIn = await browser.send('/portal/sign-in', fields)
    assert.deepEqual([signedIn.status, signedIn.location], [303, '/portal?x=1'])
    const overview = await browser.open('/portal')
    assert.equal(overview.status, 200)
    assert.match(overview.text, /Signing keys/)
  })

  it('AS39: keeps the session in an encrypted __Host- cookie for this site only', async () => {
    const { clientId, clientSecret } = server.administrator
    const { headers } = await new PortalBrowser(url).signIn(clientId, clientSecret)
    const cookie = headers.getSetCookie().join()
    assert.match(
      cookie,
      /^__Host-greeting-portal-[0-9a-f]{8}=[^;]+; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    assert.ok(!cookie.includes(clientId))
  })

  it('AS39: creates a new session at each sign-in, and accepts only sessions that it created', async () => {
    const { clientId, clientSecret } = server.administrator
    const browser = new PortalBrowser(url)
    browser.cookie = '__Host-greeting-portal-00000000=chosen-by-an-attacker'
    browser.base = `/portal/s-${'0'.repeat(32)}`
    assert.equal((await browser.open('/portal')).status, 401)
    await browser.signIn(clientId, clientSecret)
    const first = { cookie: browser.cookie, base: browser.base }
    browser.cookie = ''
    await browser.signIn(clientId, clientSecret)
    assert.notEqual(browser.cookie, first.cookie)
    assert.notEqual(browser.base, first.base)
  })

  for (const [name, over, sentence] of [
    ['an unknown client', { client_id: '6a1f2c1e-4b0e-4d6e-9a50-2f8f0d7c1b11' }, /is wrong/],
    ['a client ID that is not a GUID', { client_id: "' or 1=1 --" }, /is wrong/],
    ['a wrong secret', { client_secret: 'wrong' }, /is wrong/],
  ] as const) {
    it(`AS42: refuses ${name} with the same message`, async () => {
      const { clientId, clientSecret } = server.administrator
      const browser = new PortalBrowser(url)
      await browser.open('/portal/sign-in')
      const fields = { client_id: clientId, client_secret: clientSecret, ...over }
      const { status, text } = await browser.send('/portal/sign-in', fields)
      assert.equal(status, 401)
      assert.match(text, sentence)
      assert.equal(browser.cookie, '')
      assert.ok(!text.includes(clientSecret))
    })
  }

  it('AS42: limits failed attempts like the token endpoint', async ({ mock }) => {
    const nowMs = performance.now()
    mock.method(performance, 'now', () => nowMs)
    const browser = new PortalBrowser(url)
    const statuses: number[] = []
    for (let count = 0; count <= wrongAttemptsPerMinute; count += 1) {
      statuses.push((await browser.signIn('0c7d1a52-1f0e-4c39-8f7e-3f0a2f1f9a10', 'x')).status)
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
  })

  it('signs in with a link that works once', async () => {
    const answer = await link()
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { url: address, expires_in } = (await answer.json()) as {
      url: string
      expires_in: number
    }
    assert.equal(expires_in, 60)
    const browser = new PortalBrowser(url)
    const path = address.slice(url.length)
    assert.match((await browser.open(path)).text, /signs you in as <strong>Administrator/)
    assert.equal(browser.cookie, '', 'opening the link starts no session')
    const second = new PortalBrowser(url)
    await second.open(path)
    assert.equal((await browser.send('/portal/link')).status, 303)
    assert.equal((await browser.open('/portal')).status, 200)
    assert.equal((await second.send('/portal/link')).status, 410)
    const used = await second.open(path)
    assert.equal(used.status, 410)
    assert.match(used.text, /The link has expired/)
    assert.equal(second.cookie, '')
  })

  it('gives no link for a wrong secret', async () => {
    const answer = await link({ ...server.administrator, clientSecret: 'wrong' })
    assert.equal(answer.status, 401)
    assert.deepEqual(await answer.json(), {
      error: 'credentials_wrong',
      error_description: 'The client ID or the client secret is wrong.',
    })
  })

  it('AS40: refuses a form without a token, from another session or for another form', async () => {
    const browser = await server.signedIn()
    const other = await server.signedIn()
    await other.open('/portal')
    const token = await tokenIn(other, '/portal/sign-out')
    for (const form_token of ['', 'x', token]) {
      const sent = await browser.post('/portal/sign-out', new URLSearchParams({ form_token }))
      assert.equal(sent.status, 403)
    }
    assert.equal((await browser.open('/portal')).status, 200)
  })

  for (const origin of ['http://attacker.example', 'null', '', undefined]) {
    it(`AS40: refuses a form with the origin ${origin ?? 'absent'}`, async () => {
      const browser = await server.signedIn()
      await browser.open('/portal')
      const headers = { origin: origin ?? '' }
      assert.equal((await browser.send('/portal/sign-out', {}, headers)).status, 403)
      assert.equal((await browser.open('/portal')).status, 200)
    })
  }

  it('AS41: sends headers against frames, foreign content and caching', async () => {
    const { headers } = await new PortalBrowser(url).open('/portal')
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    assert.ok(!policy.includes('unsafe'))
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  for (const target of [
    'https://attacker.example/portal',
    '//attacker.example/portal',
    '/\\attacker.example/portal',
    'javascript:alert(1)',
    '/portal/../error?code=1',
  ]) {
    it(`AS41: does not lead to ${target} after a sign-in`, async () => {
      const { clientId, clientSecret } = server.administrator
      const browser = new PortalBrowser(url)
      const fields = { client_id: clientId, client_secret: clientSecret, return_to: target }
      const { location } = await browser.post('/portal/sign-in', new URLSearchParams(fields))
      assert.equal(location, '/portal')
    })
  }

  it("ends the browser's session at the sign-out", async () => {
    const browser = await server.signedIn()
    await browser.open('/portal')
    assert.equal((await browser.send('/portal/sign-out')).location, '/portal/sign-in')
    assert.equal(browser.cookie, '')
  })

  it('lets browsers cache its files forever, under names that change with the content', async () => {
    const { text } = await new PortalBrowser(url).open('/portal')
    const [, path = ''] = /href="(\/portal\/static\/portal\.css[^"]*)"/.exec(text) ?? []
    const answer = await fetch(`${url}${path}`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(answer.headers.get('content-encoding'), 'gzip')
    assert.equal((await fetch(`${url}/portal/static/..%2Fportal-app.ts`)).status, 404)
    assert.equal((await fetch(`${url}/portal/static/toString`)).status, 404)
  })

  it('has no lab page when the lab is off', async () => {
    const browser = await server.signedIn()
    const { status, text } = await browser.open('/portal/lab')
    assert.equal(status, 404)
    assert.match(text, /The setting LAB=on turns it on/)
    assert.ok(!(await browser.open('/portal')).text.includes('href="/portal/lab"'))
  })

  it('AS39: responds only under its own host names', async () => {
    const { hostname, port } = new URL(url)
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = get({ hostname, port, path: '/portal', headers: { host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        asked.on('error', reject)
      })
    assert.equal(await statusFor(`localhost:${port}`), 401)
    assert.equal(await statusFor(`attacker.example:${port}`), 421)
  })
})

/** The token of a form of the overview. */
async function tokenIn(browser: PortalBrowser, action: string): Promise<string> {
  const { text } = await browser.open('/portal')
  const form = text.slice(text.indexOf(`action="${action}"`))
  return /name="form_token" value="([^"]+)"/.exec(form)?.[1] ?? ''
}
