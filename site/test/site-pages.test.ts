import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { errorPages } from '../error-pages.ts'
import { sidebarOf } from '../sidebar.ts'
import {
  addressBetween,
  frontText,
  pageOf,
  type SiteSource,
  siteLink,
  slugOf,
} from '../site-pages.ts'

const files = ['docs/README.md', 'docs/guides/keys.md', 'docs/guides/clients/README.md']
const source: SiteSource = {
  root: join(import.meta.dirname, '../..'),
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
    it(`of ${target} is ${address}`, () => {
      assert.equal(siteLink(target, 'docs/guides/keys.md', source), address)
    })

  for (const target of ['nothing.md', '../../../outside.md'])
    it(`refuses ${target}, with the page`, () => {
      assert.throws(() => siteLink(target, 'docs/guides/keys.md', source), {
        message: `docs/guides/keys.md links to ${target}`,
      })
    })
})

it('the address of the same page is relative too', () => {
  assert.equal(addressBetween('a/b', 'a/b'), './')
})

describe('pageOf', () => {
  const rows: [string, string, string | RegExp][] = [
    ['takes the first heading as the title', '# T\n\ntext', 'text'],
    [
      'leaves links in code alone',
      '# T\n`[a](b)`\n```sh\n[a](b)\n```',
      '`[a](b)`\n```sh\n[a](b)\n```',
    ],
    ['rewrites the others', '# T\n[`a`](keys.md)', '[`a`](./)'],
    ['copies pictures beside the page', '# T\n![a](portal/a.png)', '![a](./portal/a.png)'],
    ['names the file of a block', '# T\n```ts a.ts\n```', '```ts title="a.ts"\n```'],
    [
      'draws a diagram with a name, and without fonts of another server',
      '# T\n## How\n```mermaid\nsequenceDiagram\n  A->>B: x\n```',
      /^## How\n<figure>\n<svg role="img" aria-label="How"(?!.*https:\/\/fonts).*<\/figure>$/s,
    ],
  ]
  for (const [name, markdown, body] of rows)
    it(name, () => {
      const page = pageOf('docs/guides/keys.md', source, markdown)
      assert.equal(page.title, 'T')
      if (typeof body === 'string') assert.equal(page.body, body)
      else assert.match(page.body, body)
    })
})

it('the front page ends before the sections for contributors', () => {
  assert.equal(frontText('# A\n\n## B\n\n## What is where\n\nc'), '# A\n\n## B\n\n')
})

describe('sidebarOf', () => {
  const page = (slug: string) => ({ slug, title: slug, body: '' })

  it('has a group for each heading with pages, and each page once', () => {
    const contents =
      '# D\n\n## Choose\n\n[z](guides/a.md)\n\n## Guides\n\n- [x](guides/a.md), [y](guides/a.md#b)\n\n## Reference\n'
    assert.deepEqual(sidebarOf(contents, [page('guides/a'), page('guides/b')]), [
      {
        label: 'Guides',
        collapsed: false,
        items: ['guides/a', 'guides/b'].map((slug) => ({ label: slug, slug })),
      },
    ])
  })

  it('refuses a page that belongs to no group', () => {
    assert.throws(() => sidebarOf('## Guides\n', [page('other/a')]), {
      message: 'docs/README.md has no group for other/a',
    })
  })
})

describe('the page of AADSTS7000215', () => {
  const { body, title } = errorPages(source).find(({ slug }) => slug.endsWith('7000215')) ?? {}
  const parts: [string, string][] = [
    ['the fact', '[E97](../../generated/entra/#refusals)'],
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
