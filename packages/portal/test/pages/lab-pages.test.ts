import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startLabProvider } from '../../../../services/identity-provider/src/lab.ts'
import {
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const registrations = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)

describe('the lab pages in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal({ registrations, portal: 'on' }, startLabProvider)
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  const keysStatus = async () =>
    (await fetch(`${server.provider.url}/common/discovery/keys`)).status

  it('appear in the navigation, with a warning', async () => {
    const { text } = await browser.open('/portal')
    assert.match(text, /<a href="\/portal\/lab">Lab<\/a>/)
    assert.match((await browser.open('/portal/lab')).text, /Never use it in production/)
  })

  it('arm, list and remove a fault', async () => {
    const { text } = await browser.open('/portal/lab?fault=status')
    assert.match(text, /name="parameter:status" type="number" value="503"/)
    const fields = { at: 'keys', 'parameter:status': '500', times: '2' }
    assert.equal((await browser.send('/portal/lab/arm', fields)).location, '/portal/lab')
    assert.equal(await keysStatus(), 500)
    const listed = await browser.open('/portal/lab')
    assert.match(listed.text, /status 500<\/td><td>1 of 2<\/td><td><span class="mark warn">armed/)
    assert.equal((await browser.send('/portal/lab/remove')).status, 303)
    assert.equal(await keysStatus(), 200)
    assert.match((await browser.open('/portal/lab')).text, /No fault is armed/)
  })

  it('report a fault that the lab refuses, and keep the entries', async () => {
    await browser.open('/portal/lab?fault=delay')
    const fields = { at: 'keys', 'parameter:delayMs': '70000' }
    const { status, text } = await browser.send('/portal/lab/arm', fields)
    assert.equal(status, 400)
    assert.match(text, /Not done\.<\/strong>[^<]*delayMs/)
    assert.match(text, /name="parameter:delayMs" type="number" value="70000"/)
  })

  it('remove all faults', async () => {
    await browser.open('/portal/lab?fault=keys_empty')
    await browser.send('/portal/lab/arm', { at: 'keys', seconds: '60' })
    assert.match((await browser.open('/portal/lab')).text, /of any number/)
    await browser.send('/portal/lab/clear')
    assert.match((await browser.open('/portal/lab')).text, /No fault is armed/)
  })

  it('create hostile tokens, and the guard refuses each of them', async () => {
    await browser.open('/portal/lab/forgeries')
    const { status, text } = await browser.send('/portal/lab/forgeries', { api: 'Greeting API' })
    assert.equal(status, 200, text)
    const [, refused, all] = /refuses (\d+) of (\d+) hostile tokens/.exec(text) ?? []
    assert.equal(refused, all)
    assert.ok(Number(all) > 80)
    assert.match(text, /admits the genuine one/)
    assert.match(text, /<code>algorithm_none<\/code>[\s\S]*?algorithm_not_rs256/)
  })

  for (const [forgery, check] of [
    ['bound_to_a_key', '4. Tenant, audience and type'],
    ['bound_to_a_certificate', '6. Certificate'],
    ['algorithm_none', '1. Format'],
    ['expired', '5. Time'],
    ['agent_exchange_token_with_roles', '4. Tenant, audience and type'],
  ] as const)
    it(`show that the check "${check}" refuses ${forgery}, and that no later check runs`, async () => {
      await browser.open('/portal/lab/forgeries')
      const made = await browser.send('/portal/lab/forgeries', { api: 'Greeting API' })
      const [, row = ''] = made.text.split(`<code>${forgery}</code>`)
      const [, token = ''] = /class="copyable">([^<]+)</.exec(row) ?? []
      await browser.open('/portal/token')
      const fields = { token, api: 'Greeting API' }
      const { text } = await browser.send('/portal/token/check', fields)
      const rows = [...text.matchAll(/"row">(\d\. [^<]+)<.*?<span class="mark \w+">([^<]+)</gs)]
      const refused = rows.findIndex(([, name]) => name === check)
      for (const [at, [, , verdict]] of rows.entries())
        assert.equal(verdict, at < refused ? 'passed' : at > refused ? 'not reached' : 'failed')
      assert.equal(rows.length, 6)
    })

  it('report an unknown API', async () => {
    await browser.open('/portal/lab/forgeries')
    const { status, text } = await browser.send('/portal/lab/forgeries', { api: 'Nothing' })
    assert.equal(status, 400)
    assert.match(text, /No application in this tenant matches “Nothing”/)
    assert.match(text, /value="Nothing"/)
  })

  it("list the requests with the clients' mistakes, and delete them", async () => {
    await fetch(
      `${server.provider.url}/${server.tenantId}/oauth2/v2.0/token?client_secret=canary`,
      { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) },
    )
    const { text } = await browser.open('/portal/lab/requests')
    assert.match(text, /<code>secret_misplaced<\/code>/)
    assert.match(
      text,
      /POST \/[0-9a-f-]+\/oauth2\/v2\.0\/token<\/code>[\s\S]*?<span class="mark bad">4/,
    )
    assert.ok(!text.includes('canary'))
    await browser.send('/portal/lab/requests/clear')
    assert.match((await browser.open('/portal/lab/requests')).text, /No request has arrived yet/)
  })

  it('change the clock, which every page and the session follow', async () => {
    const path = '/portal/lab/clock'
    const post = async (name: string, value: string) => {
      const { text } = await browser.open(path)
      const [, form_token = ''] =
        /name="form_token" value="([^"]+)">[^<]*<input[^>]*name="freeze"/.exec(text) ?? []
      return browser.post(path, new URLSearchParams({ form_token, [name]: value }))
    }
    const shown = async () => (await browser.open(path)).text
    assert.equal((await post('freeze', 'true')).location, path)
    assert.match(await shown(), /mark warn">frozen/)
    const later = new Date(Date.now() + 7_200_000).toISOString().slice(0, 16)
    assert.equal((await post('set', `${later}Z`)).status, 303)
    assert.match(await shown(), /<h1><bdi>Sign in/, 'the session has ended by the clock of the lab')
    const { cookie, base } = await server.signedIn()
    Object.assign(browser, { cookie, base })
    assert.ok((await shown()).includes(`<code>${later}:00.000Z`))
    assert.match((await post('set', 'tomorrow')).text, /Enter a date with a time in UTC/)
    assert.equal((await post('advance', '60')).status, 303)
    assert.ok(!(await shown()).includes(`<code>${later}`))
    assert.equal((await post('reset', 'true')).status, 303)
    assert.match(await shown(), /mark good">running[\s\S]*>0 seconds</)
  })
})
