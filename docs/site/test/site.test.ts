import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { refusalTable } from '../../../services/identity-provider/src/dialect/refusals/refusal-table.ts'
import { axeFaults, overflowOf, sharedBrowser } from '../../../test/system/shared-browser.ts'
import { deadLinks } from '../links/dead-links.ts'
import { serveFiles } from './file-server.ts'

const site = join(import.meta.dirname, '..')
const built = join(site, 'dist')
const { SCREENSHOTS: screenshots } = process.env

type Look = { readonly width?: number; readonly colorScheme?: 'light' | 'dark' }

/** Opens a page in a context of its own, which records what it asks of other servers. */
async function open(url: string, { width = 1280, colorScheme = 'light' }: Look = {}) {
  const browser = await sharedBrowser()
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).host !== new URL(url).host)
      foreign.push(request.url())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  return { page, foreign, close: () => context.close() }
}

/**
 * Searches on a page, and returns the addresses of the results, best first.
 * Pagefind's widget never starts again after a request that failed, so the page is loaded twice at most.
 */
async function search(url: string, words: string) {
  const { page, close } = await open(url)
  page.setDefaultTimeout(10_000)
  const results = page.locator('#starlight__search .pagefind-ui__result-link')
  const find = async () => {
    await page.keyboard.press('Control+k')
    await page.locator('#starlight__search input').fill(words)
    await results.first().waitFor()
  }
  try {
    await find().catch(async () => {
      await page.reload({ waitUntil: 'networkidle' })
      await find()
    })
    if (screenshots) await page.screenshot({ path: join(screenshots, `search-${words}.png`) })
    return await results.evaluateAll((links) =>
      links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
    )
  } finally {
    await close()
  }
}

let server: Awaited<ReturnType<typeof serveFiles>>
before(async () => {
  server = await serveFiles(built)
})
after(() => server.close())

it('sends less than 150 KB for the first view, and asks no other server', async () => {
  const { foreign, close } = await open(server.url)
  await close()
  assert.deepEqual(foreign, [])
  assert.ok(server.sentBytes() < 150_000, `${server.sentBytes()} bytes`)
  if (screenshots)
    writeFileSync(join(screenshots, 'first-view.txt'), `${server.sentBytes()} bytes\n`)
})

it('the front page has three doors, and its links beside the search', async () => {
  const { page, close } = await open(server.url)
  const paths = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((links) =>
        links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
      )
  try {
    assert.deepEqual(await paths('.doors p:nth-child(2) a:first-child'), [
      '/guides/testing/',
      '/guides/protect-your-api/',
      '/guides/identity-provider/',
    ])
    assert.deepEqual(await paths('header nav a'), ['/troubleshooting/', '/errors/'])
  } finally {
    await close()
  }
})

describe('search', () => {
  const rows: [string, RegExp][] = [
    ['AADSTS7000215', /^\/errors\/aadsts7000215\//],
    ['403', /^\/troubleshooting\//],
    ['issuer', /^\/errors\/aadsts700211\//],
    ['FastAPI', /^\/examples\/python\//],
    ['Python', /^\/examples\/python\//],
    ['Spring', /^\/examples\/spring-security\//],
    ['Java', /^\/examples\/(java|spring-security)\//],
    ['Go', /^\/examples\/go\//],
    ['.NET', /^\/examples\/dotnet\//],
  ]
  for (const [words, first] of rows)
    it(`finds ${words}`, async () => {
      const [best = ''] = await search(server.url, words)
      assert.match(best, first)
    })
})

describe('a page', () => {
  const pages = ['', 'errors/aadsts7000215/', 'errors/', 'guides/portal/', 'generated/entra/']
  const looks: Look[] = [{}, { colorScheme: 'dark' }, { width: 390 }]
  for (const path of pages)
    for (const look of looks) {
      const name = `${path.replaceAll('/', '-') || 'front-'}${look.colorScheme ?? look.width ?? 'light'}`
      it(`${name} has no fault of axe, and is not wider than its window`, async () => {
        const { page, close } = await open(server.url + path, look)
        try {
          if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) })
          assert.equal(await overflowOf(page), 0)
          assert.deepEqual(await axeFaults(page), [])
        } finally {
          await close()
        }
      })
    }
})

it('has a page for each AADSTS code', () => {
  const codes = new Set(Object.values(refusalTable).map(({ code }) => `aadsts${code}`))
  assert.deepEqual(
    readdirSync(join(built, 'errors'))
      .filter((name) => name !== 'index.html')
      .sort(),
    [...codes].sort(),
  )
})

describe('below a path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  after(() => rmSync(folder, { recursive: true }))
  before(() => {
    execFileSync(join(site, 'node_modules/.bin/astro'), ['build', '--silent', '--outDir', folder], {
      cwd: site,
      env: {
        ...process.env,
        ASTRO_TELEMETRY_DISABLED: '1',
        SITE_URL: 'https://owner.example/greeting',
      },
    })
  })

  it('has no dead link', () => {
    assert.deepEqual(deadLinks(folder, '/greeting/'), [])
  })

  it('finds pages', async () => {
    const below = await serveFiles(folder, '/greeting/')
    try {
      const [best] = await search(below.url, 'AADSTS7000215')
      assert.match(best ?? '', /^\/greeting\/errors\/aadsts7000215\//)
    } finally {
      below.close()
    }
  })
})

describe('deadLinks', () => {
  const rows: [string, string | undefined][] = [
    ['<a href="../tutorial/">', undefined],
    ['<a href="https://other.example/">', undefined],
    ['<a href="../nothing/">', 'no page ../nothing/'],
    ['<a href="../tutorial/#nothing">', 'no anchor ../tutorial/#nothing'],
    ['<a href="https://">', 'not an address: https://'],
    [
      '<script src="https://cdn.example/a.js">',
      '<script> of another server: https://cdn.example/a.js',
    ],
  ]
  for (const [html, fault] of rows)
    it(`of ${html} ${fault === undefined ? 'finds nothing' : `reports ${fault}`}`, (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'links-'))
      t.after(() => rmSync(folder, { recursive: true }))
      cpSync(join(built, 'tutorial'), join(folder, 'tutorial'), { recursive: true })
      rmSync(join(folder, 'tutorial/index.html'))
      writeFileSync(join(folder, 'tutorial/index.html'), '<h1 id="top">')
      cpSync(join(folder, 'tutorial'), join(folder, 'page'), { recursive: true })
      writeFileSync(join(folder, 'page/index.html'), html)
      assert.deepEqual(
        deadLinks(folder, '/'),
        fault === undefined ? [] : [`page/index.html: ${fault}`],
      )
    })
})
