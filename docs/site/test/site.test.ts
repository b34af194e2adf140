import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { refusalTable } from '../../../services/identity-provider/src/refusals/refusal-table.ts'
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

it('the site sends less than 150 KB for the first view, and requests nothing from other servers', async () => {
  const { foreign, close } = await open(server.url)
  await close()
  assert.deepEqual(foreign, [])
  assert.ok(server.sentBytes() < 150_000, `${server.sentBytes()} bytes`)
  if (screenshots)
    writeFileSync(join(screenshots, 'first-view.txt'), `${server.sentBytes()} bytes\n`)
})

it('the front page has three main links, and its links beside the search', async () => {
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
    ['missing role', /^\/troubleshooting\//],
    ['FastAPI', /^\/examples\/python\//],
    ['Python', /^\/examples\/python\//],
    ['Spring', /^\/examples\/spring-security\//],
    ['Java', /^\/examples\/(java|spring-security)\//],
    ['Go', /^\/examples\/go\//],
    ['.NET', /^\/examples\/dotnet\//],
    ['port in use', /^\/troubleshooting\//],
    ['EADDRINUSE', /^\/troubleshooting\//],
    ['address already in use', /^\/troubleshooting\//],
    ['secret expired', /^\/errors\/aadsts7000222\//],
    ['invalid_client', /^\/errors\//],
    ['certificate not trusted', /^\/troubleshooting\//],
    ['401', /^\/troubleshooting\//],
    ['docker', /^\/guides\/deploying\//],
    ['proxy', /^\/guides\/proxies\//],
  ]
  for (const [words, first] of rows)
    it(`finds ${words}`, async () => {
      const [best = ''] = await search(server.url, words)
      assert.match(best, first)
    })
})

/** The texts of a drawing that are too small on a phone, cross a line, or leave their box. */
function textFaults(drawing: SVGSVGElement, minPixels: number): string[] {
  const boxes = [...drawing.querySelectorAll('rect')].map((one) => one.getBBox())
  const lines = [...drawing.querySelectorAll('path:not(marker path)')].map((one) => {
    const path = one as SVGPathElement
    const count = Math.ceil(path.getTotalLength())
    return Array.from({ length: count }, (_, index) => path.getPointAtLength(index))
  })
  const scale = 358 / drawing.viewBox.baseVal.width
  return [...drawing.querySelectorAll('text')].flatMap((text) => {
    const { x, y, width, height } = text.getBBox()
    const holds = (p: DOMPoint) => p.x > x && p.x < x + width && p.y > y && p.y < y + height
    const crosses = (box: DOMRect) =>
      x < box.x + box.width &&
      box.x < x + width &&
      y < box.y + box.height &&
      box.y < y + height &&
      !(
        box.x <= x &&
        x + width <= box.x + box.width &&
        box.y <= y &&
        y + height <= box.y + box.height
      )
    // The number of an arrow stands in a disc on its line.
    const isNumber = text.previousElementSibling?.tagName === 'circle'
    return [
      Number.parseFloat(getComputedStyle(text).fontSize) * scale < minPixels && 'is too small',
      !isNumber && lines.some((line) => line.some(holds)) && 'crosses a line',
      boxes.some(crosses) && 'leaves its box',
      (x < 0 || x + width > drawing.viewBox.baseVal.width) && 'leaves the picture',
    ].flatMap((fault) => (fault ? [`${text.textContent} ${fault}`] : []))
  })
}

describe('the text of', () => {
  const folder = join(site, '../pictures')
  const look = readFileSync(join(site, '../../packages/http-service/src/look/look.css'), 'utf8')
  const [, accent = ''] = /--accent: (.*);/.exec(look) ?? []
  for (const name of readdirSync(folder))
    it(`${name} is readable at 390 pixels, and its lines use the accent color`, async () => {
      const page = await (await sharedBrowser()).newPage()
      const drawing = readFileSync(join(folder, name), 'utf8')
      await page.setContent(drawing)
      assert.deepEqual(await page.locator('svg').evaluate(textFaults, 12), [])
      assert.ok(drawing.includes(`stroke: ${accent}`))
      await page.close()
    })
})

describe('a page', () => {
  const pages = [
    '',
    'errors/aadsts7000215/',
    'errors/',
    'guides/portal/',
    'reference/entra/',
    'evidence/performance/',
  ]
  const looks: Look[] = [{}, { colorScheme: 'dark' }, { width: 390 }]
  for (const path of pages)
    for (const look of looks) {
      const name = `${path.replaceAll('/', '-') || 'front-'}${look.colorScheme ?? look.width ?? 'light'}`
      it(`${name} has no axe violation, and fits its window`, async () => {
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

it('the site has a page for each AADSTS code', () => {
  const codes = new Set(Object.values(refusalTable).map(({ code }) => `aadsts${code}`))
  assert.deepEqual(
    readdirSync(join(built, 'errors'))
      .filter((name) => name !== 'index.html')
      .sort(),
    [...codes].sort(),
  )
})

describe('the site below a path', () => {
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

  it('finds its pages', async () => {
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
    it(`${fault === undefined ? 'finds nothing' : `reports ${fault}`} in ${html}`, (t) => {
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
