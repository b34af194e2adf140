import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as browsers, type Page } from 'playwright-core'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

describe('the pages of the greeting API, in a browser', () => {
  let system: SharedSystem
  let browser: Browser
  let page: Page
  const complaints: string[] = []

  before(async () => {
    system = await sharedSystem()
    browser = await browsers.launch({
      executablePath: await chromium.executablePath(),
      args: chromium.args,
    })
    page = await browser.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  })
  after(() => browser?.close())

  it('the landing page links to the documents', async () => {
    await page.goto(system.api.url)
    assert.match(await page.title(), /Greeting/)
    await page.getByRole('link', { name: 'How to call the API' }).click()
    assert.equal(new URL(page.url()).pathname, '/docs')
    assert.deepEqual(complaints, [])
  })

  it('the reference shows both greetings and the role that each requires', async () => {
    await page.goto(`${system.api.url}/docs`)
    const text = await page.locator('body').innerText()
    for (const part of ['/api/v1/hi', '/api/v1/hello', 'CallHiApiRole', 'CallHelloApiRole']) {
      assert.ok(text.includes(part), part)
    }
    assert.deepEqual(complaints, [])
  })

  it('fit a narrow screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    for (const path of ['/', '/docs']) {
      await page.goto(`${system.api.url}${path}`)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, path)
    }
  })
})
