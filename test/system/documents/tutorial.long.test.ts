import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { environment, folderOfClone, root, run } from '../greeting-process.ts'
import { axeFaults, sharedBrowser, writeScreenshot } from '../shared-browser.ts'
import { type SharedSystem, sharedSystem } from '../shared-system.ts'

/** The registrations file of the example. */
const shipped = 'services/greeting-api/registrations.json'

const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
/** Each shell block of the page with its output. The first one starts the system. */
const [start, ...steps] = [
  ...page.matchAll(/```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)\n```/g),
].map(([, block = '', output = '']) => ({ block, output }))

/** The whole output. `…` stands for any text, and a line of it for any lines. */
function patternOf(output: string): RegExp {
  const lines = output.split('\n').map((line) =>
    line === '…'
      ? '(?:[^\\n]*\\n)*?'
      : `${line
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('[^\\n]*')}\\r?\\n`,
  )
  return new RegExp(`^${lines.join('')}$`)
}

const guide = {
  folder: join(root, 'docs/tutorial'),
  names: new Set(['missing-consent', 'granted-consent', 'command-and-portal']),
}

describe('the tutorial', () => {
  let system: SharedSystem
  let folder: string

  const shell = (block: string) => run('bash', ['-ec', `exec 2>&1\n${block}`], { cwd: folder })

  before(async () => {
    system = await sharedSystem()
    folder = system.folder
    await cp(join(root, shipped), join(folder, shipped))
  })
  // Other tests share the system, so the consent returns also after a failure.
  after(() =>
    shell(
      'npx --no-install greeting registrations apply services/greeting-api/registrations.json --yes',
    ),
  )

  it('shows the output of each shell block', () => {
    assert.equal(steps.length, 11)
    assert.equal(page.match(/```sh\n/g)?.length, steps.length + 1)
  })

  it('shows the same output as greeting start', async () => {
    const command = 'exec greeting start --api-port 0 --identity-port 0'
    const child = spawn('bash', ['-c', command], {
      cwd: folderOfClone(),
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(child, 'close')
    let out = ''
    for await (const chunk of child.stdout) {
      out += chunk
      if (out.includes('greeting API')) child.kill()
    }
    await ended
    assert.match(out, patternOf(start?.output ?? ''))
  })

  for (const { block, output } of steps) {
    it(`prints ${output.split('\n').find((line) => line !== '…')}`, async () => {
      const { code, out } = await shell(block)
      assert.equal(code, 0, out)
      assert.match(`${out.trimEnd()}\n`, patternOf(output))
    })
  }

  /** The picture of the README: the command and the portal name the same missing step. */
  async function pictureOfBoth(sheet: Page, portal: Buffer) {
    await shell('npx --no-install greeting token --force')
    const command = 'npx --no-install greeting hi'
    const { out } = await shell(`${command} || true`)
    assert.match(out, /Admin consent/)
    const shown = `$ ${command}\n${out}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    await sheet.setContent(`<!doctype html><body style="margin:0;background:#16181d;width:max-content">
<pre style="margin:0;padding:20px;color:#e6e8ee;font:18px/1.6 monospace;white-space:pre-wrap;width:0;min-width:calc(100% - 40px)">${shown}</pre>
<img src="data:image/png;base64,${portal.toString('base64')}" style="display:block">`)
    const picture = await sheet.locator('body').boundingBox()
    assert.ok(picture)
    await sheet.setViewportSize({
      width: Math.ceil(picture.width),
      height: Math.ceil(picture.height),
    })
    await writeScreenshot(sheet, 'command-and-portal', guide)
  }

  it('removes and grants consent in the portal, as in the pictures', async (t) => {
    const view = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const
    const context = await (await sharedBrowser()).newContext(view)
    t.after(() => context.close())
    const browser: Page = await context.newPage()
    const { out } = await run('greeting', ['portal', '--no-open'], { cwd: folder })
    await browser.goto(out.trim())
    await browser.getByRole('button', { name: 'Sign in' }).click()
    const { CLIENT_ID } = system.clientSettings
    await browser.goto(`${browser.url()}/applications/${CLIENT_ID}/permissions`)
    for (const _ of ['CallHiApiRole', 'CallHelloApiRole']) {
      await browser.locator('summary', { hasText: 'Revoke' }).first().click()
      await browser.getByRole('button', { name: 'Revoke' }).first().click()
    }
    const verdict = () => browser.locator('main').innerText()
    assert.match(await verdict(), /Missing step: Admin consent\./)
    for (const colorScheme of ['dark', 'light'] as const) {
      await browser.emulateMedia({ colorScheme })
      assert.deepEqual(await axeFaults(browser), [])
    }
    await writeScreenshot(browser, 'missing-consent', guide)
    // Its letters are large enough to be read on a phone.
    await browser.setViewportSize({ width: 860, height: 800 })
    await browser.evaluate("document.body.style.zoom = '1.25'")
    const banner = await browser.locator('.verdict').first().screenshot()
    await browser.setViewportSize(view.viewport)
    await pictureOfBoth(await context.newPage(), banner)
    await browser.getByRole('button', { name: 'Grant admin consent' }).first().click()
    assert.doesNotMatch(await verdict(), /Missing step/)
    await writeScreenshot(browser, 'granted-consent', guide)
  })
})
