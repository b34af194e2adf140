import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' }
import { html } from 'hono/html'
import { startLabProvider } from '../../../services/identity-provider/src/lab.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import {
  PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../test/fixtures/portal/portal-browser.ts'
import { storableTextIssues } from '../../directory/src/model/index.ts'

const maxNameLength = 120
const maxSearchLength = 256

/** All strings that a registrations file takes as a name. The others are empty or too long. */
const names = [...new Set(naughtyStrings)].filter(
  (text) =>
    text.trim() === text &&
    text !== '' &&
    text.length <= maxNameLength &&
    storableTextIssues(text).length === 0,
)

const escaped = async (text: string) => String(await html`${text}`)

/** Several strings in each text, because each text costs a request. */
function packed(texts: readonly string[], maxLength: number): string[] {
  const packs: string[] = []
  for (const text of texts.filter(({ length }) => length <= maxLength)) {
    const last = packs.at(-1)
    if (last !== undefined && last.length + text.length < maxLength) {
      packs[packs.length - 1] = `${last} ${text}`
    } else packs.push(text)
  }
  return packs
}

/** Elements that no page has, except for its own script. */
const foreignElement =
  /<(?:script(?! type="module" src="\/portal\/static\/)|img(?! src="\/portal\/static\/)|svg(?! (?:class|viewBox)=)|iframe|object)/i

describe('the Big List of Naughty Strings in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let path: string
  const folder = freshFolder()
  before(async () => {
    const registrations = join(folder, 'registrations.json')
    const clients = names.map((displayName) => ({ displayName }))
    await writeFile(registrations, JSON.stringify({ apis: [], clients }))
    server = await startPortal({ registrations, portal: 'on' }, startLabProvider)
    browser = await server.signedIn()
    await browser.open('/portal/applications')
    const made = await browser.send('/portal/applications', { display_name: 'x', kind: 'api' })
    path = made.location ?? ''
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  it('AS43: shows each string as text in a role description', async () => {
    const texts = naughtyStrings.filter(
      (text) => text.trim() !== '' && storableTextIssues(text).length === 0,
    )
    assert.ok(texts.length > naughtyStrings.length - 20)
    const roles = texts.map((description, index) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      value: `Role${index}`,
      displayName: `Role ${index}`,
      description,
      isEnabled: true,
      allowedMemberTypes: ['Application'],
    }))
    await browser.open(`${path}/manifest`)
    const manifest = JSON.stringify({ appRoles: roles })
    const saved = await browser.send(`${path}/manifest`, { manifest })
    assert.equal(saved.status, 303, /<p role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(saved.text)?.[1])
    const { text } = await browser.open(`${path}/roles`)
    for (const one of texts) assert.ok(text.includes(`<td>${await escaped(one)}</td>`), one)
    assert.doesNotMatch(text, foreignElement)
  })

  it('AS43: shows each string as text in an application name', async () => {
    assert.ok(names.length > naughtyStrings.length - 100, `${names.length} names`)
    const seen: string[] = []
    let next = '/portal/applications'
    while (next !== '') {
      const { text } = await browser.open(next)
      assert.doesNotMatch(text, foreignElement)
      seen.push(text)
      const [, link = ''] = /<a href="([^"]+)" rel="next">/.exec(text) ?? []
      next = link.replaceAll('&amp;', '&')
    }
    const lists = seen.join('')
    for (const name of names) {
      const shown = `>${await escaped(name)}</a>`
      assert.ok(lists.includes(shown), name)
    }
    const withMarkup = [...lists.matchAll(/<a href="([^"]+)">[^<]*&lt;[^<]*<\/a>/g)]
    assert.ok(withMarkup.length > 50)
    for (const [, one = ''] of withMarkup) {
      const { text } = await browser.open(one)
      assert.match(text, /<h1><bdi>[^<]*&lt;/)
      assert.doesNotMatch(text, foreignElement)
    }
  })

  it('AS43: reflects each string as text in a search and in a sign-in', async () => {
    const unknown = new PortalBrowser(server.provider.url)
    for (const search of packed(naughtyStrings, maxSearchLength)) {
      const { status, text } = await browser.open(
        `/portal/applications?${new URLSearchParams({ search })}`,
      )
      assert.ok([200, 400].includes(status), `${search}: ${status}`)
      assert.doesNotMatch(text, foreignElement)
      const asked = await unknown.open(`/portal/logs?${new URLSearchParams({ search })}`)
      assert.doesNotMatch(asked.text, foreignElement)
    }
  })
})
