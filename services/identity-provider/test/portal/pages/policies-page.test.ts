import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type PortalBrowser, type PortalServer, startPortal } from '../portal-browser.ts'

const seed = join(import.meta.dirname, '../../registrations/sample.json')

describe('policies in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let api: string
  let client: string
  before(async () => {
    const { apis, clients } = JSON.parse(await readFile(seed, 'utf8'))
    api = `/portal/applications/${apis[0].applicationId}`
    client = `/portal/applications/${clients[0].applicationId}`
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  /** Sends a form of a page, and opens the page to which the answer leads. */
  async function change(page: string, action: string, fields: Record<string, string>) {
    await browser.open(page)
    const { location, text } = await browser.send(action, fields)
    return location === null ? text : (await browser.open(location)).text
  }

  it('limit secrets, and the form for a secret offers the longest permitted end', async () => {
    const page = '/portal/policies'
    assert.match((await browser.open(page)).text, /No policy limits the secrets.*Limit secrets/s)
    const limited = await change(page, `${page}/secrets`, { days: '90' })
    assert.match(limited, /Applications may have: <strong>secrets of at most 90 days<\/strong>/)
    const { text } = await browser.open(`${client}/credentials`)
    assert.match(text, /permits secrets of at most 90 days\./)
    assert.match(text, /<option value="90" selected>90 days<\/option><\/select>/)
    assert.match((await browser.open(client)).text, /: secrets of at most 90 days/)
    const form = `${client}/credentials/secrets`
    const refused = await change(`${client}/credentials`, form, { days: '180' })
    assert.match(
      refused,
      /Credential lifetime exceeds the max value allowed as per assigned policy/,
    )
    assert.match(refused, /permits secrets of at most 90 days\./)
    assert.match(await change(`${client}/credentials`, form, { days: '' }), /The secret was made/)
    const open = await change(page, `${page}/secrets`, { days: '0' })
    assert.match(open, /No policy limits the secrets/)
  })

  it('give an API its token lifetime, before the default of the tenant', async () => {
    const page = '/portal/policies'
    const made = { lifetime: '08:00:00', policy_name: 'Long', scope: 'assigned' }
    const all = { lifetime: '00:10:00', policy_name: 'Short', scope: 'all' }
    await change(page, `${page}/lifetime`, made)
    assert.match(await change(page, `${page}/lifetime`, all), /APIs get tokens that live 00:10:00/)
    assert.match((await browser.open(api)).text, />Short<\/a>: tokens that live 00:10:00/)
    const [, long = ''] = /<option value="([^"]+)">Long</.exec(browser.seen) ?? []
    const assigned = await change(api, `${api}/token-lifetime`, { policy: long })
    assert.match(assigned, />Long<\/a>: tokens that live 08:00:00/)
    assert.match(
      (await browser.open(`${page}?policy=${long}`)).text,
      /“<bdi>Long<\/bdi>” applies to/,
    )
    assert.match(browser.seen, new RegExp(`${api}".*service principal`))
    const removed = await change(api, `${api}/token-lifetime`, { policy: '' })
    assert.match(removed, />Short<\/a>: tokens that live 00:10:00/)
    const set = 'tokenLifetimePolicies'
    const deleted = await change(page, `${page}/delete`, { id: long, set })
    assert.doesNotMatch(deleted, />Long</)
  })
})
