import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { run } from './greeting-process.ts'
import { axeFaults, complaintsOf, overflowOf, sharedBrowser } from './shared-browser.ts'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

const desktop = { width: 1280, height: 720 }

describe("the greeting API's pages in a browser", () => {
  let system: SharedSystem
  let page: Page
  let complaints: string[]
  const requested: string[] = []

  before(async () => {
    system = await sharedSystem()
    page = await (await sharedBrowser()).newPage({ viewport: desktop })
    complaints = complaintsOf(page)
    page.on('request', (request) => requested.push(new URL(request.url()).origin))
  })
  after(() => page?.close())

  async function narrowOverflow(): Promise<number> {
    await page.setViewportSize({ width: 360, height: 740 })
    const overflow = await overflowOf(page)
    await page.setViewportSize(desktop)
    return overflow
  }

  // The tests share one load of the reference: its viewer takes longer than all of them.
  it('include a landing page without axe-core violations that fits a narrow screen', async () => {
    await page.goto(system.api.url)
    assert.match(await page.title(), /Greeting/)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await axeFaults(page), [], colorScheme)
    }
    assert.equal(await narrowOverflow(), 0)
  })

  it('include a landing page with links to the documents', async () => {
    await page.getByRole('link', { name: 'How to call the API' }).click()
    assert.equal(new URL(page.url()).pathname, '/docs')
    await page.getByRole('button', { name: 'Authorize' }).waitFor()
    assert.deepEqual(complaints, [])
    assert.equal(await narrowOverflow(), 0)
  })

  it('include a reference with both greetings and the role that each requires', async () => {
    for (const [path, role] of [
      ['hi', 'CallHiApiRole'],
      ['hello', 'CallHelloApiRole'],
    ] as const) {
      await page.locator(`#operations-Greetings-${path} .opblock-summary-control`).click()
      await page.locator(`#operations-Greetings-${path}`).getByText(role).first().waitFor()
    }
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`include a reference without axe-core violations in the ${colorScheme} theme that fits a narrow screen, with both operations open`, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const themed = colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)'
      await page.locator(themed).waitFor({ state: 'attached' })
      assert.deepEqual(await axeFaults(page), [])
      assert.equal(await narrowOverflow(), 0)
    })

  /** Sends a request, and returns the body of its answer as soon as the status is shown. */
  async function execute(name: string, status: string): Promise<string> {
    const operation = page.locator(`#operations-Greetings-${name}`)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const shown = page.locator('.response-col_status', { hasText: status })
    const answer = operation.locator('.live-responses-table tr.response').filter({ has: shown })
    return await answer.locator('.response-col_description pre').first().innerText()
  }

  it('include a reference that can try both greetings with a pasted token', async () => {
    assert.match(await execute('hi', '401'), /"unauthorized"/)
    const { out: token } = await run('greeting', ['token'], { cwd: system.folder })
    await page.getByRole('button', { name: 'Authorize' }).click()
    const dialog = page.locator('.dialog-ux')
    await dialog.getByRole('textbox').fill(token.trim())
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    assert.equal(await execute('hi', '200'), 'Hi')
    assert.equal(await execute('hello', '200'), 'Hello, Ada')
  })

  it('load only files from their server, and work under their security policy', () => {
    assert.deepEqual([...new Set(requested)], [system.api.url])
    assert.deepEqual(
      complaints.filter((one) => !one.includes('401')),
      [],
    )
  })
})
