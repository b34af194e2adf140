import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContext, chromium as browsers, type Page } from 'playwright-core'
import { root, run } from './greeting-process.ts'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

// These arguments of the package switch off the rules of the browser that this file tests.
const unsafeArguments = ['--single-process', '--no-zygote', '--disable-web-security']
const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
/** Set it to write the screenshots of the guide. */
const writesScreenshots = process.env.WRITE_SCREENSHOTS !== undefined
const screenshotFolder = join(root, 'docs/guides/portal')
const screenshots = new Set([
  'overview-light',
  'permissions-light',
  'permissions-dark',
  'credentials-light',
  'token-light',
  'logs-light',
  'keys-dark',
  'narrow',
])

describe('the portal, in a browser', () => {
  let system: SharedSystem
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let portal: string
  let secret = ''
  const complaints: string[] = []

  before(async () => {
    system = await sharedSystem()
    portal = `${system.identityProvider.url}/portal`
    browser = await browsers.launch({
      executablePath: await chromium.executablePath(),
      args: chromium.args.filter((one) => !unsafeArguments.includes(one)),
    })
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  })
  after(() => browser?.close())

  const client = () => page.url().split('/')[5] ?? ''
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name }).click()
  const missingStep = async () =>
    /Missing step: ([^.]+)\./.exec(await page.locator('main').innerText())?.[1]

  async function register(name: string, kind: string): Promise<string> {
    await page.goto(`${portal}/applications`)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Kind').selectOption(kind)
    await page.getByRole('button', { name: 'Register' }).click()
    return client()
  }

  it('AS39: signs in by the link of the command, with a __Host- cookie over loopback', async () => {
    const { code, out, err } = await run('greeting', ['portal', '--no-open'], {
      cwd: system.folder,
    })
    assert.equal(code, 0, err)
    await page.goto(out.trim())
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.equal(await page.title(), 'Overview · Greeting portal')
    const [cookie] = await context.cookies(portal)
    assert.equal(cookie?.name, '__Host-greeting-portal')
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, 'Strict'])
  })

  it('registers an API and a client by hand, until both greetings open', async () => {
    await register('Portal job', 'client')
    const id = client()
    await tab('API permissions')
    await page.getByLabel(/^API: start/).fill('Greeting API')
    await page.getByRole('button', { name: 'Find' }).click()
    for (const role of ['CallHiApiRole', 'CallHelloApiRole']) await page.getByLabel(role).check()
    await page.getByRole('button', { name: 'Request', exact: true }).click()
    assert.equal(await missingStep(), 'Admin consent')
    await page.getByRole('button', { name: 'Grant admin consent' }).click()
    assert.equal(await missingStep(), 'Client secret')
    await tab('Certificates & secrets')
    await page.getByRole('button', { name: 'Make a secret' }).click()
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

  it('names the missing step when the consent is withdrawn', async () => {
    await page.getByRole('button', { name: 'Revoke' }).first().click()
    assert.equal(await missingStep(), 'Admin consent')
  })

  it('copies a value, and shows the claims of a pasted token before it is sent', async () => {
    await page.goto(portal)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
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
    assert.match(
      await page.getByLabel('Header and claims of the pasted token').innerText(),
      /"orders"/,
    )
    assert.deepEqual(complaints, [])
  })

  it('AS41: is not shown in a frame of another page', async () => {
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

  it('AS40: refuses a form that another server of this machine sends', async () => {
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

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no fault that axe-core finds, in the ${colorScheme} theme`, async () => {
      await page.emulateMedia({ colorScheme })
      const found: string[] = []
      for (const [name, path] of Object.entries(paths())) {
        await page.goto(`${portal}${path}`)
        await page.evaluate(axeSource)
        const { violations } = (await page.evaluate('axe.run()')) as {
          violations: { id: string; nodes: { html: string }[] }[]
        }
        found.push(...violations.map(({ id, nodes }) => `${name}: ${id} ${nodes[0]?.html}`))
        if (writesScreenshots) await writeScreenshot(page, `${name}-${colorScheme}`)
      }
      assert.deepEqual(found, [])
    })
  }

  it('fits a narrow screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    for (const [name, path] of Object.entries(paths())) {
      await page.goto(`${portal}${path}`)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, name)
      if (writesScreenshots && name === 'permissions') await writeScreenshot(page, 'narrow')
    }
  })

  it('works without script', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const other = await plain.newPage()
    const { out } = await run('greeting', ['portal', '--no-open'], { cwd: system.folder })
    await other.goto(out.trim())
    await other.getByRole('button', { name: 'Sign in' }).click()
    for (const path of Object.values(paths())) {
      const answer = await other.goto(`${portal}${path}`)
      assert.equal(answer?.status(), 200, path)
    }
    await other.getByRole('button', { name: 'Sign out' }).click()
    assert.equal(new URL(other.url()).pathname, '/portal/sign-in')
    await plain.close()
  })
})

async function writeScreenshot(page: Page, name: string): Promise<void> {
  if (!screenshots.has(name)) return
  await mkdir(screenshotFolder, { recursive: true })
  const image = await page.screenshot({ fullPage: false })
  await writeFile(join(screenshotFolder, `${name}.png`), image)
}
