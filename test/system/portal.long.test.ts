import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startEntra } from '@greeting/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { root, run } from './greeting-process.ts'
import { complaintsOf, desktop, loadAxe, pageFaults, sharedBrowser } from './shared-browser.ts'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

const guideFolder = join(root, 'docs/guides/portal')
const guideScreenshots = new Set([
  'overview-light',
  'permissions-light',
  'permissions-dark',
  'credentials-light',
  'token-light',
  'logs-light',
  'keys-dark',
  'lab-faults-light',
  'permissions-narrow',
])

describe('the portal in a browser', () => {
  let system: SharedSystem
  let context: BrowserContext
  let page: Page
  let portal: string
  let secret = ''
  let complaints: string[]

  before(async () => {
    system = await sharedSystem()
    portal = `${system.identityProvider.url}/portal`
    context = await (await sharedBrowser()).newContext({
      viewport: desktop,
      // A change of the theme would take some time, and colours in between lack contrast.
      reducedMotion: 'reduce',
    })
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  after(() => context?.close())

  const client = () => page.url().split('/')[6] ?? ''
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name }).click()
  const missingStep = async () =>
    /Missing steps?: ([^.]+)\./.exec(await page.locator('main').innerText())?.[1]

  async function register(name: string, kind: string): Promise<string> {
    await page.goto(`${portal}/applications`)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Kind').selectOption(kind)
    await page.getByRole('button', { name: 'Register' }).click()
    return client()
  }

  it("AS39: signs in with the command's link, and sets a __Host- cookie over loopback", async () => {
    const { code, out, err } = await run('greeting', ['portal', '--no-open'], {
      cwd: system.folder,
    })
    assert.equal(code, 0, err)
    await page.goto(out.trim())
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.equal(await page.title(), 'Overview · Greeting portal')
    portal = page.url()
    const [cookie] = await context.cookies(portal)
    assert.match(cookie?.name ?? '', /^__Host-greeting-portal-/)
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, 'Strict'])
  })

  it('registers an API and a client manually until both greetings are allowed', async () => {
    await register('Portal job', 'client')
    const id = client()
    await tab('API permissions')
    await page.getByLabel('Find an API by').fill('Greeting API')
    await page.getByRole('button', { name: 'Find' }).click()
    for (const role of ['CallHiApiRole', 'CallHelloApiRole']) await page.getByLabel(role).check()
    await page.getByRole('button', { name: 'Request the roles' }).click()
    assert.equal(await missingStep(), 'Admin consent, Client secret')
    await page.getByRole('button', { name: 'Grant admin consent' }).click()
    assert.equal(await missingStep(), 'Client secret')
    await tab('Certificates & secrets')
    await page.getByRole('button', { name: 'New client secret' }).first().click()
    secret = (await page.locator('dd code').first().textContent()) ?? ''
    await tab('API permissions')
    assert.equal(await missingStep(), undefined)
    for (const [command, greeting] of [
      [['hi'], 'Hi'],
      [['hello', '--name', 'Ada'], 'Hello, Ada'],
    ] as const) {
      const { out, err } = await run('greeting', command, {
        cwd: system.folder,
        env: {
          ...system.clientSettings,
          CLIENT_ID: id,
          CLIENT_SECRET: secret,
        },
      })
      assert.equal(out.trim(), greeting, err)
    }
  })

  it('names the missing step after the consent is withdrawn', async () => {
    await page.locator('summary', { hasText: 'Revoke' }).first().click()
    await page.getByRole('button', { name: 'Revoke' }).first().click()
    assert.equal(await missingStep(), 'Admin consent')
  })

  it('copies a value, and shows the claims of a pasted token', async () => {
    await page.goto(portal)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText('Endpoints and signing keys').click()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    assert.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      system.identityProvider.tenantId,
    )
    await page.goto(`${portal}/token`)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    await page
      .getByLabel('Access token')
      .fill(`${part({ alg: 'RS256' })}.${part({ aud: 'orders' })}.x`)
    await page.getByLabel('API (by default').fill('Greeting API')
    await page.getByRole('button', { name: 'Check' }).click()
    assert.match(await page.getByRole('table', { name: 'Claims' }).innerText(), /orders/)
    assert.deepEqual(complaints, [])
  })

  it('AS45: protects its sessions from another server on this machine that receives the cookie', async () => {
    const received: IncomingHttpHeaders[] = []
    const thief = createServer(({ headers }, response) => {
      received.push(headers)
      response.setHeader('content-type', 'text/html').end('<title>Thief</title>')
    })
    thief.listen(0, '127.0.0.1')
    await once(thief, 'listening')
    const { port } = thief.address() as AddressInfo
    // As a link or a script of the portal would: with all that a browser tells the next page.
    await page.goto(portal)
    await page.evaluate(`location.href = 'http://127.0.0.1:${port}/'`)
    await page.waitForURL(`http://127.0.0.1:${port}/`)
    const told = await page.evaluate('[document.referrer, String(opener)]')
    thief.close()
    assert.deepEqual(told, ['', 'null'])
    const { cookie = '', referer } = received[0] ?? {}
    assert.match(cookie, /__Host-greeting-portal-/, 'cookies have no ports')
    assert.equal(referer, undefined)

    const { origin } = new URL(portal)
    const { CLIENT_ID } = system.administratorSettings
    const credentials = `/portal/applications/${CLIENT_ID}/credentials`
    const headers = { cookie, origin }
    for (const path of ['/portal', '/portal/keys', credentials]) {
      const answer = await fetch(`${origin}${path}`, { headers })
      assert.equal(answer.status, 401)
      assert.ok(!(await answer.text()).includes(new URL(portal).pathname))
    }
    const body = new URLSearchParams({ description: 'stolen', days: '730' })
    const made = await fetch(`${origin}${credentials}/secrets`, { method: 'POST', headers, body })
    assert.equal(made.status, 401)
    await page.goto(`${portal}${credentials.slice('/portal'.length)}`)
    assert.ok(!(await page.locator('main').innerText()).includes('stolen'))
  })

  it('AS41: is not displayed in a frame of another page', async () => {
    await page.goto(system.api.url)
    await page.evaluate(`new Promise((done) => {
      const frame = document.createElement('iframe')
      frame.src = '${portal}'
      frame.onload = done
      document.body.append(frame)
    })`)
    const text = await page.frames().at(-1)?.content()
    assert.ok(!text?.includes('Greeting portal'))
  })

  it('AS40: refuses a form from another server on this machine', async () => {
    await page.goto(`${system.api.url}/healthz`)
    await page.evaluate(`(() => {
      const form = document.createElement('form')
      form.method = 'post'
      form.action = '${portal}/applications'
      form.innerHTML = '<input name=display_name value=Forged>'
      document.body.append(form)
      form.submit()
    })()`)
    await page.waitForURL(`${portal}/applications`)
    assert.match(await page.locator('main').innerText(), /not sent by a page of this portal/)
  })

  const paths = () => {
    const { CLIENT_ID: id } = system.clientSettings
    const api = system.api.applicationId
    const application = `/applications/${id}`
    return {
      overview: '',
      applications: '/applications',
      'new-api': '/new-api',
      application,
      credentials: `${application}/credentials`,
      permissions: `${application}/permissions`,
      roles: `/applications/${api}/roles`,
      expose: `/applications/${api}/expose`,
      assignments: `/applications/${api}/assignments`,
      manifest: `/applications/${api}/manifest`,
      deleted: '/deleted',
      token: `/token?client=${id}&api=${api}&endpoint=v2.0`,
      logs: '/logs',
      keys: '/keys',
      file: '/file',
    }
  }

  let loadingAxe: ReturnType<typeof loadAxe> | undefined

  /** The faults of some pages in both themes and on each screen, and what the browser complains about. */
  async function faultsOf(base: string, pages: Readonly<Record<string, string>>) {
    loadingAxe ??= loadAxe(page)
    await loadingAxe
    const faults: string[] = []
    complaints.splice(0)
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(`${base}${path}`)
      faults.push(...(await faultsHere(name)))
    }
    return [...faults, ...complaints]
  }

  const guide = { folder: guideFolder, names: guideScreenshots }
  const faultsHere = (name: string) => pageFaults(page, name, guide)

  it('has no axe-core violation on any page, in both themes, from 360 pixels to 4K', async () => {
    assert.deepEqual(await faultsOf(portal, paths()), [])
    const error = { error: '/error?code=7000215' }
    assert.deepEqual(await faultsOf(new URL(portal).origin, error), [])
    await page.goto(`${portal}/logs`)
    await page.locator('tbody th a').first().click()
    assert.deepEqual(await faultsHere('record'), [])
    // A hidden part of the page: two tokens side by side.
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'RS256' })}.${part({ aud: 'orders', exp: 1 })}.x`
    await page.goto(`${portal}/token?api=${system.api.applicationId}`)
    await page.getByText('Compare with another token').click()
    await page.getByLabel('Access token').fill(token)
    await page.getByLabel('Second token').fill(token)
    await page.getByRole('button', { name: 'Compare' }).click()
    assert.match(await page.locator('main').innerText(), /Comparison|First token/)
    assert.deepEqual(await faultsHere('comparison'), [])
  })

  it('has no axe-core violation on the pages about a blueprint and its agent', async () => {
    const api = system.api.applicationId
    await page.goto(`${portal}/applications`)
    await page.getByLabel('Name', { exact: true }).fill('Night blueprint')
    await page.getByLabel('Kind').selectOption('blueprint')
    await page.getByText('Sponsor of a blueprint').click()
    await page.getByLabel(/^Sponsor:/).fill(crypto.randomUUID())
    await page.getByRole('button', { name: 'Register' }).click()
    const blueprint = `/applications/${client()}`
    await page.goto(`${portal}${blueprint}/permissions?api=${api}`)
    await page.getByLabel('CallHiApiRole').check()
    await page.getByRole('button', { name: 'Request the roles' }).click()
    await page.getByRole('button', { name: 'Grant CallHiApiRole' }).click()
    await page.getByRole('button', { name: 'Let agents inherit' }).click()
    await tab('Agents')
    await page.getByLabel('Name', { exact: true }).fill('Night agent')
    await page.getByRole('button', { name: 'Create the agent' }).click()
    const agent = `/applications/${client()}`
    await page.goto(`${portal}${agent}/permissions`)
    assert.match(await page.locator('main').innerText(), /inherited from Night blueprint/)
    const found = await faultsOf(portal, {
      blueprint,
      agents: `${blueprint}/agents`,
      'blueprint-permissions': `${blueprint}/permissions`,
      agent,
      'agent-permissions': `${agent}/permissions`,
      'agent-token': `/token?client=${client()}&api=${api}`,
      'deleted-agents': '/deleted?kind=agents',
    })
    assert.deepEqual(found, [])
  })

  it('has no axe-core violation on the lab pages', async () => {
    const registrations = join(root, 'services/greeting-api/registrations.json')
    await using lab = await startEntra({ registrations, portal: 'on' })
    const signIn = await faultsOf(`${lab.url}/portal`, { 'sign-in': '/sign-in' })
    await page.goto(`${lab.url}/portal/lab`)
    await page.getByLabel('Client ID').fill(lab.administrator.clientId)
    await page.getByLabel('Client secret').fill(lab.administrator.clientSecret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const base = page.url().replace(/\/lab$/, '')
    await page.getByRole('link', { name: 'delay', exact: true }).click()
    await page.getByLabel('delayMs').fill('100')
    await page.getByRole('button', { name: 'Arm' }).click()
    await page.getByRole('cell', { name: 'armed' }).waitFor()
    await fetch(`${lab.url}/${lab.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nothing' }),
    })
    const found = await faultsOf(base, {
      'lab-faults': '/lab?fault=delay',
      'lab-clock': '/lab/clock',
      'lab-forgeries': '/lab/forgeries',
      'lab-requests': '/lab/requests',
    })
    assert.deepEqual([...signIn, ...found], [])

    // The page that asks for a proof before a change.
    await page.goto(`${base}/applications`)
    lab.clock.advance({ minutes: 10 })
    await page.getByLabel('Name', { exact: true }).fill('Confirmed job')
    await page.getByRole('button', { name: 'Register' }).click()
    assert.match(await page.locator('main').innerText(), /Nothing was changed yet/)
    assert.deepEqual(await faultsHere('confirmation'), [])
    await page.getByLabel('Client secret').fill(lab.administrator.clientSecret)
    await page.getByRole('button', { name: 'Confirm and send' }).click()
    assert.match(await page.locator('h1').innerText(), /Confirmed job/)
  })

  it('signs in and out without scripts', async () => {
    const plain = await (await sharedBrowser()).newContext({ javaScriptEnabled: false })
    const other = await plain.newPage()
    const { out } = await run('greeting', ['portal', '--no-open'], { cwd: system.folder })
    await other.goto(out.trim())
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('link', { name: 'App registrations' }).click()
    assert.match(await other.locator('main').innerText(), /Register an application/)
    await other.getByRole('button', { name: 'Sign out' }).click()
    assert.equal(new URL(other.url()).pathname, '/portal/sign-in')
    await plain.close()
  })
})
