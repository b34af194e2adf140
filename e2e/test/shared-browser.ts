import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after } from 'node:test'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as browsers, type Page } from 'playwright-core'

// These arguments of the package switch off the rules of the browser that the tests cover.
const unsafeArguments = ['--single-process', '--no-zygote', '--disable-web-security']
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const axe = readFile(axeFile, 'utf8')

let starting: Promise<Browser> | undefined

/** Returns the browser that all test files of one process use. It closes after the last test. */
export function sharedBrowser(): Promise<Browser> {
  starting ??= start()
  return starting
}

after(async () => (await starting)?.close())

const start = async () =>
  browsers.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((one) => !unsafeArguments.includes(one)),
  })

/** Collects the errors of a page, such as violations of its content security policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/**
 * The faults that axe-core finds in a page, each with its first element.
 *
 * @param except a selector of elements that are not checked
 */
export async function axeFaults(page: Page, except = 'none'): Promise<string[]> {
  await page.evaluate(await axe)
  const { violations } = (await page.evaluate(`axe.run({ exclude: '${except}' })`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
}

/** How far a page is wider than its window, in pixels. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
