import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as browsers, type Page } from 'playwright-core'

/** Arguments of the package that the tests do not use. */
const unusedArguments: ReadonlySet<string> = new Set([
  // They switch off the rules of the browser that the tests cover.
  ...['--single-process', '--no-zygote', '--disable-web-security'],
  // They draw each frame with a GPU in software, which takes two thirds of the time of the tests.
  ...['--ignore-gpu-blocklist', '--in-process-gpu', '--use-gl=angle', '--use-angle=swiftshader'],
  '--enable-unsafe-swiftshader',
])
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const axe = readFile(axeFile, 'utf8')

/** Loads axe-core with each document that a page opens, which is faster than loading it for each check. */
export const loadAxe = (page: Page) => page.addInitScript({ path: axeFile })

let starting: Promise<Browser> | undefined

/** Returns the browser that all test files of one process use. It closes after the last test. */
export function sharedBrowser(): Promise<Browser> {
  starting ??= start()
  return starting
}

// A failure here would leave out the hooks of other files, whose servers would then keep the process.
after(async () => (await starting?.catch(() => undefined))?.close())

const start = async () =>
  browsers.launch({
    executablePath: await unpackedBrowser(),
    args: [...chromium.args.filter((one) => !unusedArguments.has(one)), '--disable-gpu'],
  })

const execute = promisify(execFile)
// `npm ci` removes it.
const folder = join(import.meta.dirname, '../../node_modules/.cache/greeting-browser')
const unpack = "import('@sparticuz/chromium').then((one) => one.default.executablePath())"

/**
 * The path of the browser. Its package unpacks it into the temporary folder, where another process would
 * find a part of it. So each process unpacks a copy of its own, and the first complete one stays.
 */
async function unpackedBrowser(): Promise<string> {
  if (!existsSync(folder)) {
    await mkdir(dirname(folder), { recursive: true })
    const draft = await mkdtemp(`${folder}-`)
    const env = { ...process.env, TMPDIR: draft }
    await execute(process.execPath, ['-e', unpack], { cwd: import.meta.dirname, env })
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
  }
  return join(folder, 'chromium')
}

/** Collects the errors of a page, such as violations of its content security policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** The scope of an axe-core check: by default, all rules on the whole page. */
export type AxeScope = {
  /** A selector of elements that are not checked. */
  readonly except?: string
  /** The rules. */
  readonly rules?: readonly string[]
}

/** The violations that axe-core finds on a page, each with its first element. */
export async function axeFaults(
  page: Page,
  { except = 'none', rules }: AxeScope = {},
): Promise<string[]> {
  // The page may have it already: its evaluation takes longer than most runs.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(await axe)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const { violations } = (await page.evaluate(`axe.run({ exclude: '${except}' }, ${options})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
}

/** The number of pixels by which a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/**
 * Where screenshots are written: `WRITE_SCREENSHOTS=1` writes those of the guide to its folder, and another
 * value names a folder for all. Without it, none are written. Run `optipng -o5` on those of the guide: the
 * site holds a limit of bytes.
 */
const { WRITE_SCREENSHOTS: destination } = process.env

/** Writes a screenshot, if the environment requests it. */
export async function writeScreenshot(
  page: Page,
  name: string,
  guide: { readonly folder: string; readonly names: ReadonlySet<string> },
): Promise<void> {
  const isChosen = destination === '1' ? guide.names.has(name) : destination !== undefined
  if (!isChosen) return
  const folder = destination === '1' ? guide.folder : (destination ?? '')
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: destination !== '1' })
}

export const desktop = { width: 1280, height: 800 }
const screens = {
  narrow: { width: 360, height: 740 },
  phone: { width: 390, height: 844 },
  desktop,
  large: { width: 2560, height: 1440 },
  wide: { width: 3840, height: 2160 },
}
const scrollingTables =
  "[...document.querySelectorAll('.wide')].filter((one) => one.scrollWidth > one.clientWidth).length"

const themes = [
  { colorScheme: 'light', rules: undefined },
  // The other rules do not depend on the theme.
  { colorScheme: 'dark', rules: ['color-contrast'] },
] as const

/** The faults of the current page, in both themes and on each screen size. */
export async function pageFaults(
  page: Page,
  name: string,
  guide: Parameters<typeof writeScreenshot>[2],
): Promise<string[]> {
  const faults: string[] = []
  for (const { colorScheme, rules } of themes) {
    await page.emulateMedia({ colorScheme })
    const found = await axeFaults(page, rules && { rules })
    faults.push(...found.map((fault) => `${name}, ${colorScheme}: ${fault}`))
    await writeScreenshot(page, `${name}-${colorScheme}`, guide)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  for (const [width, screen] of Object.entries(screens)) {
    await page.setViewportSize(screen)
    const overflow = await overflowOf(page)
    if (overflow !== 0) faults.push(`${name}, ${width}: ${overflow} pixels outside the screen`)
    const scrolling = screen.width < desktop.width && (await page.evaluate(scrollingTables))
    if (scrolling) faults.push(`${name}, ${width}: ${scrolling} tables scroll sideways`)
    await writeScreenshot(page, `${name}-${width}`, guide)
  }
  await page.setViewportSize(desktop)
  return faults
}
