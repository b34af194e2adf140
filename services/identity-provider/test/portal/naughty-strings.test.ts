import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import naughtyStrings from 'big-list-of-naughty-strings' with { type: 'json' }
import { html } from 'hono/html'
import { storableTextIssues } from '../../src/directory/storable-text.ts'
import { PortalBrowser, type PortalServer, startPortal } from './portal-browser.ts'

const maxNameLength = 120
const maxSearchLength = 256

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
  /<(?:script(?! type="module" src="\/portal\/static\/)|img|svg|iframe|object)/i

describe('the Big List of Naughty Strings in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let path: string
  before(async () => {
    server = await startPortal()
    browser = await server.signedIn()
    await browser.open('/portal/applications')
    const made = await browser.send('/portal/applications', { display_name: 'x', kind: 'api' })
    path = made.location ?? ''
  })
  after(() => server?.[Symbol.asyncDispose]())

  it('AS43: shows each string as text in the description of a role', async () => {
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

  it('AS43: shows each string with markup as text in the name of an application', async () => {
    const names = packed(
      naughtyStrings.filter((text) => text.includes('<')).map((text) => text.trim()),
      maxNameLength,
    )
    for (const name of names) {
      await browser.open(path)
      const sent = await browser.send(`${path}/rename`, { display_name: name })
      const { text } = sent.status === 303 ? await browser.open(path) : sent
      if (sent.status === 303) assert.ok(text.includes(`<h1>${await escaped(name)}</h1>`), name)
      else assert.equal(sent.status, 400)
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
