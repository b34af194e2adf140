import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { type Entra, startEntra } from '@greeting/testing'
import { environment, root } from './greeting-process.ts'
import { treeFaults } from './screen-reader.ts'
import { complaintsOf, sharedBrowser } from './shared-browser.ts'

async function signedIn({ url, administrator }: Pick<Entra, 'url' | 'administrator'>) {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(`${url}/portal/sign-in`)
  await page.getByLabel('Client ID').fill(administrator.clientId)
  await page.getByLabel('Client secret').fill(administrator.clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return { context, page, complaints }
}

it('the portal leads from an empty directory to both greetings in 12 clicks and 4 fields', async () => {
  await using opened = new AsyncDisposableStack()
  const entra = opened.use(await startEntra({ portal: 'on' }))
  const { context, page, complaints } = await signedIn(entra)
  opened.defer(() => context.close())
  const idInPath = () => new URL(page.url()).pathname.split('/')[4] ?? ''

  const made = { clicks: 0, fields: 0 }
  const click = async (role: 'button' | 'link' | 'checkbox', name: string) => {
    made.clicks += 1
    const exact = role === 'button'
    await page.getByRole(role, { name, exact }).first().click()
  }
  const fill = async (label: RegExp, text: string) => {
    made.fields += 1
    await page.getByLabel(label).first().fill(text)
  }
  /** The only primary button of the page is the next step. */
  const next = async (name: string) => {
    assert.deepEqual(await page.locator('main .primary').allInnerTexts(), [name])
    made.clicks += 1
    await page.locator('main .primary').click()
  }
  await click('link', 'App registrations')
  await fill(/^Name/, 'Walked API')
  made.fields += 1
  await page.getByLabel('Kind').selectOption('api')
  await click('button', 'Register the application')
  const api = idInPath()
  await next('Add app roles')
  await fill(/^Role values/, 'CallHiApiRole\nCallHelloApiRole')
  await click('button', 'Add the roles')
  await next('Register a client')
  await fill(/^Name/, 'Walked job')
  await click('button', 'Register the application')
  const client = idInPath()
  await next('Request roles')
  await page.getByText('CallHiApiRole').first().waitFor()
  for (const role of ['CallHiApiRole', 'CallHelloApiRole']) await click('checkbox', role)
  await click('button', 'Request the roles')
  await next('Grant admin consent')
  await next('New client secret')
  assert.deepEqual(made, { clicks: 12, fields: 4 })
  assert.deepEqual(complaints, [])

  const answer = await fetch(`${entra.url}/${entra.tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: (await page.locator('dd code').first().textContent()) ?? '',
      scope: `api://${api}/.default`,
    }),
  })
  const { access_token } = (await answer.json()) as { access_token?: string }
  const greetingApi = spawn('node', [join(root, 'services/greeting-api/src/main.ts')], {
    env: {
      ...environment,
      TENANT_ID: entra.tenantId,
      AUTH_URL: entra.url,
      ISSUER_URL: entra.url,
      TEST_KEYS: 'accepted',
      API_APPLICATION_ID: api,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  opened.defer(async () => {
    greetingApi.kill('SIGTERM')
    await once(greetingApi, 'close')
  })
  const url = await urlOf(greetingApi)
  const headers = { authorization: `Bearer ${access_token}` }
  for (const [path, greeting] of [
    ['/api/v1/hi', 'Hi'],
    ['/api/v1/hello?name=Ada', 'Hello, Ada'],
  ] as const)
    assert.equal(await (await fetch(`${url}${path}`, { headers })).text(), greeting)
})

it('the portal supports the six steps with the keyboard only', async () => {
  await using opened = new AsyncDisposableStack()
  const entra = opened.use(await startEntra({ portal: 'on' }))
  const { context, page } = await signedIn(entra)
  opened.defer(() => context.close())
  /** Presses Tab until a field or a button with this name has the focus, which can be seen. */
  const reach = async (kind: 'field' | 'button', name: string) => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab')
      const focused = (await page.evaluate(`(() => {
        const { labels, tagName, textContent } = document.activeElement
        const { boxShadow, outlineStyle } = getComputedStyle(document.activeElement)
        const isShown = outlineStyle !== 'none' || boxShadow !== 'none'
        if (labels?.length) return { kind: 'field', name: labels[0].textContent.trim(), isShown }
        return { kind: tagName === 'BODY' ? '' : 'button', name: textContent.trim(), isShown }
      })()`)) as { kind: string; name: string; isShown: boolean }
      if (focused.kind !== kind || !focused.name.startsWith(name)) continue
      assert.ok(focused.isShown, `the focus of ${name} is not shown`)
      return
    }
    assert.fail(`no Tab leads to ${name}`)
  }
  const press = async (name: string, key = 'Space') => {
    await reach('button', name)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)])
  }
  const type = async (name: string, text: string) => {
    await reach('field', name)
    await page.keyboard.insertText(text)
  }
  await press('App registrations', 'Enter')
  await type('Name', 'Typed API')
  await reach('field', 'Kind')
  await page.keyboard.press('ArrowDown')
  await press('Register')
  await press('Add app roles')
  await type('Role values', 'Orders.Read')
  await press('Add the roles')
  await press('Register a client')
  await type('Name', 'Typed job')
  await press('Register')
  await press('Request roles')
  await reach('field', 'Orders.Read')
  await page.keyboard.press('Space')
  await press('Request the roles')
  await press('Grant admin consent')
  await press('New client secret')
  assert.match(await page.locator('main').innerText(), /The secret was created/)
})

it('the portal shows one row of navigation and one row of tabs at 390 pixels, and ten applications on three screens', async () => {
  await using opened = new AsyncDisposableStack()
  const names = Array.from({ length: 8 }, (_, index) => [`Job ${index}`, { roles: {} }] as const)
  const registrations = { apis: { Orders: { roles: [] } }, clients: Object.fromEntries(names) }
  const entra = opened.use(await startEntra({ registrations, portal: 'on' }))
  const { context, page } = await signedIn(entra)
  opened.defer(() => context.close())
  const base = page.url().replace(/\/$/, '')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${base}/applications`)
  assert.equal(await page.locator('tbody tr').count(), 10)
  const { height = 0 } = (await page.locator('body').boundingBox()) ?? {}
  assert.ok(height <= 3 * 844, `${height} pixels`)

  await page.goto(`${base}/applications/${entra.client('Job 0').clientId}/manifest`)
  for (const name of ['Portal', 'Application']) {
    const links = page.getByRole('navigation', { name }).getByRole('link')
    const boxes = await Promise.all((await links.all()).map((one) => one.boundingBox()))
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1, `rows of ${name}`)
  }
  const current = await page.locator('.tabs [aria-current]').boundingBox()
  assert.ok(current && current.x + current.width <= 390, 'the current tab is on the screen')
})

it('the portal keeps the mark and the button of a missing step at the right of its row, and prints the page', async () => {
  await using opened = new AsyncDisposableStack()
  const roles = ['Invoices.Read.All', 'Invoices.Write.All', 'Invoices.Approve.All'] as const
  const registrations = {
    apis: { 'Invoices of all regions': { roles } },
    clients: { Job: { roles: { 'Invoices of all regions': roles }, hasConsent: false } },
  }
  const entra = opened.use(await startEntra({ registrations, portal: 'on' }))
  const { context, page } = await signedIn(entra)
  opened.defer(() => context.close())
  const base = page.url().replace(/\/$/, '')
  await page.goto(`${base}/applications/${entra.client('Job').clientId}/permissions`)
  await page.getByRole('button', { name: 'Grant admin consent' }).waitFor()
  const places = await Promise.all(
    (await page.locator('.steps li').all()).map(async (step) => {
      const [number, last] = await Promise.all(
        ['.number', ':scope > :last-child'].map((part) => step.locator(part).boundingBox()),
      )
      assert.ok(number && last)
      const offset = last.y + last.height / 2 - number.y - number.height / 2
      return `${Math.round(last.x + last.width)}, ${Math.abs(offset) < 2 ? 'same' : 'other'} line`
    }),
  )
  assert.deepEqual([new Set(places).size, places[0]?.endsWith('same line')], [1, true], `${places}`)

  await page.emulateMedia({ media: 'print' })
  const printed = await page.locator('main').boundingBox()
  assert.ok(printed && printed.width > 1000, 'a printed page has the width of its paper')
})

describe('a page about a client while it receives its roles', () => {
  let entra: Entra
  let opened: Awaited<ReturnType<typeof signedIn>>
  let pages: readonly string[]
  before(async () => {
    const registrations = {
      apis: { Orders: { roles: ['Read', 'Write'] } },
      clients: { Job: { roles: { Orders: ['Read', 'Write'] } } },
    }
    entra = await startEntra({ registrations, portal: 'on' })
    opened = await signedIn(entra)
    const base = opened.page.url().replace(/\/$/, '')
    const client = `${base}/applications/${entra.client('Job').clientId}`
    pages = [client, `${client}/permissions`, `${client}/credentials`, base, `${base}/applications`]
  })
  after(async () => {
    await opened?.context.close()
    await entra?.[Symbol.asyncDispose]()
  })

  it('prints its steps, IDs and exact times, but nothing that requires a click', async () => {
    const { page } = opened
    const used =
      'main :is(button, [role="button"], input, select, textarea, label, summary, h2:empty)'
    for (const path of pages.slice(0, 3)) {
      await page.goto(path)
      await page.emulateMedia({ media: 'print' })
      const left = page.locator(used).filter({ visible: true })
      assert.deepEqual(await left.allInnerTexts(), [], path)
      assert.equal(await page.locator('.steps li').filter({ visible: true }).count(), 6)
      await page.emulateMedia({ media: 'screen' })
    }
    await page.emulateMedia({ media: 'print' })
    await page.goto(pages[0] ?? '')
    assert.ok(await page.getByText(entra.client('Job').clientId).last().isVisible())
    const time = "getComputedStyle(document.querySelector('main time'), '::after').content"
    assert.match(String(await page.evaluate(time)), /attr\(datetime\)|\d{4}-\d\d-\d\dT/)
    await page.emulateMedia({ media: 'screen' })
  })

  it('has a name for each element in a screen reader, and hides symbols', async () => {
    for (const path of pages) {
      await opened.page.goto(path)
      assert.deepEqual(await treeFaults(opened.page), [], path)
    }
  })
})

it('the portal registers an API and its client by one form in 4 clicks from the sign-in, with 3 fields', async () => {
  await using opened = new AsyncDisposableStack()
  const entra = opened.use(await startEntra({ portal: 'on' }))
  const { context, page } = await signedIn(entra)
  opened.defer(() => context.close())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const made = { clicks: 1, fields: 0 }
  const next = async () => {
    made.clicks += 1
    await page.locator('main .primary').click()
  }
  await next()
  for (const [label, text] of [
    ['Name of the API', 'Orders'],
    ['Role values', 'Read'],
    ['Name of the client', 'Night job'],
  ] as const) {
    made.fields += 1
    await page.getByLabel(label).fill(text)
  }
  await next()
  made.clicks += 1
  await page.getByRole('button', { name: 'Copy Value' }).click()
  assert.deepEqual(made, { clicks: 4, fields: 3 })
  const secret = await page.locator('dd code').first().textContent()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
  assert.doesNotMatch(await page.locator('.verdict').innerText(), /Missing step/)
})

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout)
  for await (const line of createInterface(stdout)) {
    const { msg, url } = JSON.parse(line)
    if (msg !== 'listening') continue
    stdout.resume()
    return url
  }
  throw new Error('The greeting API did not start.')
}
