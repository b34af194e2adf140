import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { type Entra, startEntra } from '@greeting/testing'
import { environment, root } from './greeting-process.ts'
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

it('leads from an empty directory to both greetings: 12 clicks, 4 fields', async () => {
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
  await click('button', 'Register')
  const api = idInPath()
  await next('Add app roles')
  await fill(/^Role values/, 'CallHiApiRole\nCallHelloApiRole')
  await click('button', 'Add')
  await next('Register a client')
  await fill(/^Name/, 'Walked job')
  await click('button', 'Register')
  const client = idInPath()
  await next('Request roles')
  await page.getByText('CallHiApiRole').first().waitFor()
  for (const role of ['CallHiApiRole', 'CallHelloApiRole']) await click('checkbox', role)
  await click('button', 'Request')
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
