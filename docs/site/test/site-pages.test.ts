import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { withBars } from '../bars.ts'
import { errorPages } from '../error-pages.ts'
import { exampleFiles, examplePages } from '../example-pages.ts'
import { frontPage } from '../front-page.ts'
import { sidebarOf } from '../sidebar.ts'
import { addressBetween, pageOf, type SiteSource, siteLink, slugOf } from '../site-pages.ts'

const files = ['docs/README.md', 'docs/guides/keys.md', 'docs/guides/clients/README.md']
const source: SiteSource = {
  root: join(import.meta.dirname, '../../..'),
  slugs: new Map([['README.md', ''], ...files.map((file) => [file, slugOf(file)] as const)]),
  repositoryUrl: 'https://host.example/greeting',
}

describe('siteLink', () => {
  const rows: [string, string][] = [
    ['clients/README.md', '../clients/'],
    ['clients', '../clients/'],
    ['clients/README.md#a', '../clients/#a'],
    ['#a', '#a'],
    ['https://other.example/a', 'https://other.example/a'],
    ['../../README.md', '../../'],
    ['../../README.md#try-it', 'https://host.example/greeting/blob/main/README.md#try-it'],
    ['../../cli', 'https://host.example/greeting/tree/main/cli'],
    ['../../LICENSE', 'https://host.example/greeting/blob/main/LICENSE'],
  ]
  for (const [target, address] of rows)
    it(`turns ${target} into ${address}`, () => {
      assert.equal(siteLink(target, 'docs/guides/keys.md', source), address)
    })

  for (const target of ['nothing.md', '../../../outside.md'])
    it(`refuses ${target}, and names the page`, () => {
      assert.throws(() => siteLink(target, 'docs/guides/keys.md', source), {
        message: `docs/guides/keys.md links to ${target}`,
      })
    })
})

it('siteLink uses a relative address even for the same page', () => {
  assert.equal(addressBetween('a/b', 'a/b'), './')
})

describe('pageOf', () => {
  const rows: [string, string, string][] = [
    ['takes the first heading as the title', '# T\n\ntext', 'text'],
    [
      'leaves links in code alone',
      '# T\n`[a](b)`\n```sh\n[a](b)\n```',
      '`[a](b)`\n```sh\n[a](b)\n```',
    ],
    ['rewrites other links', '# T\n[`a`](keys.md)', '[`a`](./)'],
    ['copies pictures beside the page', '# T\n![a](portal/a.png)', '![a](./portal/a.png)'],
    ['copies shared pictures', '# T\n![a](../pictures/a.svg)', '![a](./../pictures/a.svg)'],
    ['names the file of a block', '# T\n```ts a.ts\n```', '```ts title="a.ts"\n```'],
  ]
  for (const [name, markdown, body] of rows)
    it(name, () => {
      const page = pageOf('docs/guides/keys.md', source, markdown)
      assert.equal(page.title, 'T')
      assert.equal(page.body, body)
    })
})

describe('withBars', () => {
  const page = (rows: string) => ({
    slug: 'evidence/growth',
    title: 'G',
    body: `text\n\n## Kept figures\n\n| figure | size | A | B |\n|---|---|---|---|\n${rows}\n\nend`,
  })

  it('draws each figure in a row as a share of the largest one, before the table', () => {
    const { body } = withBars(page('| `p` (x) | 1 | 2 ms | 4 ms |\n| q | 1 | 3 s | |'))
    assert.match(
      body,
      /<dt>p <\/dt><dd><span[^>]*"0" style="--share: 0.500">2 ms<\/span><span[^>]*"1" style="--share: 1.000">4 ms<\/span><\/dd><\/dl><\/figure>\n\n\| figure/,
    )
  })

  it('omits cells with another unit, and other pages', () => {
    assert.doesNotMatch(withBars(page('| p | 1 | 2 ms | |\n| q | 1 | 3 s | |')).body, /<dt>q/)
    const other = { ...page('| p | 1 | 2 ms | |'), slug: 'guides/keys' }
    assert.equal(withBars(other), other)
  })

  it('refuses a page without figures', () => {
    assert.throws(() => withBars(page('| p | 1 | 3 s | |')), /has no figures/)
  })
})

describe('frontPage', () => {
  const contents = `# D

A sentence.

![The way](pictures/way.svg)

## Choose

These servers were run:

| | this |
|---|---|

Not this.

## Guides

### Test

- [T](guides/keys.md#a) first.

### Protect

- [P](guides/keys.md)

### Call

### Run

- [R](guides/keys.md)
`
  const sidebar = [
    { label: 'Contents', slug: 'contents' },
    { label: 'Call', items: [{ label: 'C & D', slug: 'guides/clients' }] },
    { label: 'Reference', items: [{ label: 'No guide', slug: 'reference' }] },
  ]
  const picture = '![A picture](docs/tutorial/a.png)'
  const { body, look } = frontPage(contents, picture, sidebar, source)
  const parts: [string, string][] = [
    ['the picture of the README', '![A picture](./tutorial/a.png)'],
    ['the picture of the whole system', '![The way](./pictures/way.svg)'],
    ['a door with the first guide of its group', '**Test**\n\n[T](guides/keys/#a) first.'],
    ['the measured comparison', 'These servers were run:\n\n| | this |\n|---|---|\n\n<a'],
    ['a group of guides', '### Call\n\n<ul><li><a href="guides/clients/">C &amp; D</a></li></ul>'],
    ['the pages of no group', '## Look up\n\n<a href="contents/">Contents</a>'],
  ]
  for (const [name, part] of parts)
    it(`has ${name}`, () => {
      assert.ok(body.includes(part), body)
    })

  it('omits groups without guides, and uses the first sentence as its tagline', () => {
    assert.ok(!body.includes('No guide'), body)
    assert.deepEqual(look?.hero, { tagline: 'A sentence.' })
  })

  it('refuses documents with a missing part, and names the part', () => {
    assert.throws(
      () => frontPage(contents, '', sidebar, source),
      /^Error: The front page needs .*docs/,
    )
  })
})

it("a program's page contains its text, its packages and the title of its link", () => {
  const file = 'examples/ci/python/test_orders.py'
  const files = exampleFiles(`- [Python](../${file}), [Keys](guides/keys.md)`)
  const [page, ...others] = examplePages(source, files)
  assert.deepEqual([page?.slug, page?.title, others], ['examples/python', 'Python', []])
  assert.match(
    page?.body ?? '',
    /```py title="test_orders.py"\n.*FastAPI.*title="requirements.txt"/s,
  )
})

describe('sidebarOf', () => {
  const page = (slug: string) => ({ slug, title: slug, body: '' })

  it('has a group for each heading with pages, and each page once', () => {
    const contents =
      '# D\n\n## Choose\n\n[z](guides/a.md)\n\n## Guides\n\n### Run\n\n- [x](guides/a.md), [y](guides/a.md#b)\n\n## Reference\n'
    const group = (label: string, slug: string) => ({
      label,
      collapsed: false,
      items: [{ label: slug, slug }],
    })
    assert.deepEqual(sidebarOf(contents, [page('guides/a'), page('guides/b')]), [
      group('Guides', 'guides/b'),
      group('Run', 'guides/a'),
    ])
  })

  it('refuses a page without a group', () => {
    assert.throws(() => sidebarOf('## Guides\n', [page('other/a')]), {
      message: 'docs/README.md has no group for other/a',
    })
  })
})

describe('the page of AADSTS7000215', () => {
  const { body, title } = errorPages(source).find(({ slug }) => slug.endsWith('7000215')) ?? {}
  const parts: [string, string][] = [
    ['the fact', '[E97](../../reference/entra/#refusals)'],
    ['each reason', '### `secret_not_yet_valid`'],
    ['the repair', '**Repair:** Send the value of the secret, not its ID, and URL-encode it.'],
    [
      'the sentence',
      "AADSTS7000215: The client secret provided for app '<clientId>' is not valid yet. Current time: <time>",
    ],
    [
      'the test',
      '[issuance-refusal-scenarios.ts](https://host.example/greeting/blob/main/services/',
    ],
  ]
  for (const [name, part] of parts)
    it(`has ${name}`, () => {
      assert.equal(title, 'AADSTS7000215: The secret is wrong')
      assert.ok(body?.includes(part), body)
    })
})
