import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
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
      /&quot;Greeting client&quot; gets a token for &quot;Greeting API&quot;/,
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
      /&quot;Nightly job&quot; gets no token for &quot;Greeting API&quot;: it has no credential \(AADSTS7000215\)\. <strong>Missing steps: Permissions, Admin consent, Client secret\.<\/strong>/,
    )
    assert.match(text, /The client cannot request this token yet/)
    const second = await register()
    const twins = await browser.open('/portal/token?client=Nightly+job&api=Greeting+API')
    assert.match(twins.text, /2 applications match “Nightly job”\. Use the application ID/)
    for (const id of [first, second]) assert.ok(twins.text.includes(`client=${id}&amp;`), id)
  })
})
