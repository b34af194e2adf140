import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { estimateTokenBytes } from '@greeting/registrations/planning'
import { type PortalBrowser, type PortalServer, startPortal } from '../portal-browser.ts'

const seed = join(import.meta.dirname, '../../registrations/sample.json')

describe('the preview of a token', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  it('estimates the size of a token within 5 percent', async () => {
    const apis = [0, 1, 40, 200, 400, 1000].flatMap((count) =>
      [1, 2].map((version) => ({
        displayName: `${count} roles v${version}`,
        requestedAccessTokenVersion: version,
        appRoles: Array.from({ length: count }, (_, index) => ({
          value: `Orders.Read.All.${index}`,
          displayName: 'r',
          description: 'd',
        })),
      })),
    )
    const permissions = apis
      .filter(({ appRoles }) => appRoles.length > 0)
      .map(({ displayName: api, appRoles }) => ({ api, roles: appRoles.map(({ value }) => value) }))
    const file = join(await mkdtemp(join(tmpdir(), 'greeting-token-size-')), 'registrations.json')
    const client = 'Large job'
    const consents = permissions.map(({ api }) => ({ client, api }))
    const clients = [{ displayName: client, permissions, secrets: [{ displayName: 'first' }] }]
    await writeFile(file, JSON.stringify({ apis, clients, consents }))
    await using large = await startPortal({ registrations: file })
    const page = await large.signedIn()
    for (const { displayName, appRoles } of apis) {
      const query = new URLSearchParams({ client, api: displayName })
      const { text } = await page.open(`/portal/token?${query}`)
      const [, characters] = /the token has (\d+) characters/.exec(text) ?? []
      const estimate = estimateTokenBytes(appRoles.map(({ value }) => value))
      const difference = Math.abs(estimate - Number(characters))
      assert.ok(difference <= 200, `${displayName}: ${characters}, estimated ${estimate}`)
      if (estimate > 4000) assert.ok(difference <= estimate * 0.05, displayName)
      const warning = /The token has \d+ roles and about [\d.]+ KB: (Node|many proxies)/.exec(
        text,
      )?.[1]
      const expected = estimate > 16_384 ? 'Node' : estimate > 8192 ? 'many proxies' : undefined
      assert.equal(warning, expected, displayName)
    }
    await rm(dirname(file), { recursive: true })
  })

  for (const [part, found] of [
    ['client', 'Greeting client'],
    ['api greet', 'Greeting API'],
  ] as const) {
    it(`finds ${found} by the part ${part} of its name`, async () => {
      const query = new URLSearchParams({ client: 'client', api: 'api greet' })
      const { status, text } = await browser.open(`/portal/token?${query}`)
      assert.equal(status, 200)
      assert.ok(text.includes(`<bdi>${found}</bdi>`))
      assert.ok(text.includes(`<option value="${found}">`))
    })
  }

  it('shows a link for each application that a part of a name means', async () => {
    const { status, text } = await browser.open('/portal/token?client=greeting&api=Greeting+API')
    assert.equal(status, 400)
    assert.match(text, /\d applications match “greeting”\. Choose one/)
    assert.match(text, /<li><a href="[^"]+">Greeting client<\/a>/)
  })

  it('suggests similar applications, whose links show the preview', async () => {
    const { status, text } = await browser.open('/portal/token?client=greting&api=Greeting+API')
    assert.equal(status, 400)
    assert.match(text, /No application of the tenant matches “greting”\. Did you mean “Greeting /)
    const links = text.matchAll(/<li><a href="([^"]+)">Greeting client<\/a>/g)
    const [link = ''] = [...links].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    const shown = await browser.open(link)
    assert.equal(shown.status, 200)
    assert.match(
      shown.text,
      /“<bdi>Greeting client<\/bdi>” gets a token for “<bdi>Greeting API<\/bdi>”/,
    )
  })

  it('names every missing step of a new client, and its links for a second one of the name', async () => {
    const register = async () => {
      await browser.open('/portal/applications')
      const fields = { display_name: 'Nightly job', kind: 'client' }
      return (await browser.send('/portal/applications', fields)).location?.split('/').at(-1)
    }
    const first = await register()
    const { text } = await browser.open('/portal/token?client=Nightly+job&api=Greeting+API')
    assert.match(
      text,
      /“<bdi>Nightly job<\/bdi>” gets no token for “<bdi>Greeting API<\/bdi>” \(AADSTS7000215\)\. <strong>Missing steps: Permissions, Admin consent, Client secret\.<\/strong>/,
    )
    assert.match(text, /The client cannot request this token yet/)
    const second = await register()
    const twins = await browser.open('/portal/token?client=Nightly+job&api=Greeting+API')
    assert.match(twins.text, /2 applications match “Nightly job”\. Use the application ID/)
    for (const id of [first, second]) assert.ok(twins.text.includes(`client=${id}&amp;`), id)
  })
})
