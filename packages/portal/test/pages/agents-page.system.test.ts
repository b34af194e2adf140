import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  hiddenFieldsOf,
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)
const sponsor = '5c8f5a0e-6f3c-4b1e-9d3a-1c9e0a7b2f44'
const primary = /class="primary"[^>]*>([^<]+)</g

describe('a blueprint and its agents in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  /** The paths of the pages of the blueprint, its agent and an API. */
  let blueprint = ''
  let agent = ''
  let api = ''
  let secret = ''
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
    const { text } = await browser.open('/portal/applications?search=Greeting+API')
    api = /applications\/([0-9a-f-]{36})">Greeting API/.exec(text)?.[1] ?? ''
  })
  after(() => server?.[Symbol.asyncDispose]())

  const next = async (path: string) =>
    [...(await browser.open(path)).text.matchAll(primary)].map(([, one]) => one)
  const idOf = (path: string) => path.split('/').at(-1) ?? ''
  const send = async (page: string, action: string, fields: Record<string, string> = {}) => {
    const shown = await browser.open(page)
    assert.equal(shown.status, 200, `${page} ${shown.text}`)
    const sent = await browser.send(`${page}${action}`, fields)
    assert.equal(sent.status, 303, sent.text)
    return sent.location ?? ''
  }
  const verdictOf = async (path: string) =>
    /aria-label="Verdict"><p>(.*?)<\/p>/s
      .exec((await browser.open(path)).text)?.[1]
      ?.replaceAll(/<[^>]+>/g, '') ?? ''
  const rolesInPreview = async () => {
    const query = new URLSearchParams({ client: idOf(agent), api })
    const { text } = await browser.open(`/portal/token?${query}`)
    return /<code>roles<\/code><\/th><td><code[^>]*>([^<]+)/.exec(text)?.[1] ?? 'none'
  }

  it('registers a blueprint, and leads to its first agent after a secret', async () => {
    await browser.open('/portal/applications')
    const fields = { display_name: 'Night blueprint', kind: 'blueprint', sponsor: '' }
    const without = await browser.send('/portal/applications', fields)
    assert.match(without.text, /A blueprint needs a sponsor/)
    const made = await browser.send('/portal/applications', { ...fields, sponsor })
    blueprint = made.location ?? ''
    assert.match((await browser.open(blueprint)).text, /mark plain">blueprint</)
    assert.deepEqual(await next(blueprint), ['New client secret'])
    await browser.open(`${blueprint}/credentials`)
    const shown = await browser.send(`${blueprint}/credentials/secrets`, { days: '30' })
    secret = /<dt>Value<\/dt><dd><code class="copyable">([^<]+)</.exec(shown.text)?.[1] ?? ''
    assert.deepEqual(await next(blueprint), ['Create an agent'])
    assert.match((await browser.open(`${blueprint}/agents`)).text, /This blueprint has no agent/)
    const created = { display_name: 'Night <agent>', sponsor }
    agent = await send(`${blueprint}/agents`, '/create', created)
    assert.match((await browser.open('/portal/applications')).text, />blueprint<\/span>/)
  })

  it('shows an agent without an application and without credentials', async () => {
    const { text } = await browser.open(agent)
    assert.match(text, /<h1><bdi>Night &lt;agent&gt;<\/bdi>/)
    assert.match(text, /mark plain">agent<\/span> of <a href="[^"]*"><bdi>Night blueprint/)
    assert.doesNotMatch(text, /Assignment required/)
    const tabs = /<nav aria-label="Application"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
    const names = [...tabs.matchAll(/">([^<]+)<\/a>/g)].map(([, name]) => name)
    assert.deepEqual(names, ['Overview', 'API permissions', 'Token', 'Logs'])
    const before = (await browser.open(`${blueprint}/agents`)).text
    for (const page of ['/credentials', '/roles', '/expose', '/manifest', '/agents']) {
      assert.equal((await browser.open(agent + page)).status, 404, page)
    }
    await browser.open(`${blueprint}/credentials`)
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(before) ?? []
    const sent = new URLSearchParams({ form_token, days: '30' })
    const refused = await browser.post(`${agent}/credentials/secrets`, sent)
    assert.ok(refused.status >= 400)
    assert.doesNotMatch(refused.text, /The secret was created/)
  })

  it('assigns a role, and removes it', async () => {
    assert.deepEqual(await next(agent), ['Assign roles'])
    const page = `${agent}/permissions?api=${api}`
    const { text } = await browser.open(page)
    const [, hi = ''] = /name="(role:[^"]+)" value="yes"> <code>CallHiApiRole/.exec(text) ?? []
    await browser.send(`${agent}/permissions/assign`, { [hi]: 'yes' })
    assert.match(await verdictOf(agent), /gets a token for “Greeting API” with CallHiApiRole\./)
    assert.match(await rolesInPreview(), /^\[&quot;CallHiApiRole&quot;\]$/)
    const shown = (await browser.open(`${agent}/permissions`)).text
    assert.match(
      shown,
      /CallHiApiRole<\/code><br><small>[^<]*<\/small><\/td><td><span class="mark good">assigned/,
    )
    await browser.send(`${agent}/permissions/revoke`)
    assert.match((await browser.open(agent)).text, /neither it nor its blueprint has a role/)
  })

  it("lets agents inherit the blueprint's roles by name, and ends the inheritance", async () => {
    const permissions = `${blueprint}/permissions`
    const { text } = await browser.open(`${permissions}?api=${api}`)
    const boxes = [...text.matchAll(/name="(role:[^"]+)"[^>]*> <code>Call/g)]
    const fields = Object.fromEntries(boxes.map(([, box = '']) => [box, 'yes']))
    await browser.send(`${permissions}/request`, fields)
    assert.deepEqual(await next(agent), ['Grant admin consent'])
    await browser.send(`${permissions}/consent`)
    assert.match((await browser.open(agent)).text, /assigned to the blueprint, but not inheritable/)
    assert.equal(await rolesInPreview(), 'none')
    assert.deepEqual(await next(agent), ['Let agents inherit the roles'])
    await browser.send(`${permissions}/inherit`)
    const inherited = /CallHiApiRole \(inherited\), CallHelloApiRole \(inherited\)/
    assert.match(await verdictOf(agent), inherited)
    assert.match(await rolesInPreview(), /CallHelloApiRole/)
    const shown = (await browser.open(`${agent}/permissions`)).text
    assert.match(shown, /inherited<\/span> from <a href="[^"]*"><bdi>Night blueprint/)
    assert.match(
      (await browser.open(`${blueprint}/agents`)).text,
      /Each agent inherits <code>CallHelloApiRole, CallHiApiRole<\/code>/,
    )
    assert.match((await browser.open(permissions)).text, /good">inherit<\/span>/)
    await browser.send(`${permissions}/inherit`)
    assert.equal(await rolesInPreview(), 'none')
    await send(permissions, '/inherit')
    assert.match(await rolesInPreview(), /CallHelloApiRole/)
  })

  it("previews an agent's token, and logs both token requests with both names", async () => {
    const query = new URLSearchParams({ client: idOf(agent), api })
    const { text } = await browser.open(`/portal/token?${query}`)
    assert.match(text, /that requires CallHiApiRole<\/th>(?:(?!<\/tr>).)*good">200</)
    assert.match(text, /<code>(?:azp|appid)acr<\/code><\/th><td><code[^>]*>2</)
    assert.doesNotMatch(text, /name="client_secret"/)
    const ask = async (parameters: Record<string, string>) => {
      const url = `${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters })
      return (await (await fetch(url, { method: 'POST', body })).json()) as { access_token: string }
    }
    const { access_token: assertion } = await ask({
      client_id: idOf(blueprint),
      client_secret: secret,
      scope: 'api://AzureADTokenExchange/.default',
      fmi_path: idOf(agent),
    })
    const presented = {
      client_id: idOf(agent),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }
    await ask({ ...presented, scope: `api://${api}/.default` })
    await ask({ ...presented, scope: 'api://nothing/.default' })
    const rows = async () => (await browser.open('/portal/logs')).text
    let log = await rows()
    for (let count = 0; count < 40 && !log.includes('Resource unknown'); count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      log = await rows()
    }
    const name = 'Night &lt;agent&gt;</bdi></a>'
    const both = `${name} \\(agent of <a[^>]*><bdi>Night blueprint</bdi></a>\\)`
    assert.match(
      log,
      new RegExp(`${both} <span aria-hidden="true">→</span> <a[^>]*><bdi>Greeting API`),
    )
    assert.match(log, new RegExp(`Resource unknown\\. (?:(?!</tr>).)*${both}</td>`, 's'))
    assert.match(
      log,
      new RegExp(
        `Night blueprint</bdi></a> <span aria-hidden="true">→</span> <a[^>]*><bdi>${name}`,
      ),
    )
    const last = (await browser.open(`${blueprint}/agents`)).text
    assert.match(last, /<td><time [^>]*>[^<]+<\/time><\/td><td><code>/)
  })

  it('explains that the blueprint itself gets no token for an API', async () => {
    const query = new URLSearchParams({ client: idOf(blueprint), api })
    const path = `/portal/token?${query}`
    assert.match(await verdictOf(path), /only its agents get tokens for this API \(AADSTS82001\)/)
    assert.ok((await next(path)).includes('Show the agents'))
  })

  for (const [change, action, undo, sentence] of [
    ['disables', '/enabled', '', /its service principal is disabled/],
    ['deletes', '/delete', '/portal/deleted', undefined],
  ] as const) {
    it(`${change} an agent, and reverses the change`, async () => {
      const page = `${blueprint}/agents`
      const before = await rolesInPreview()
      await send(page, action)
      if (sentence) assert.match((await browser.open(agent)).text, sentence)
      else assert.equal((await browser.open(agent)).status, 404)
      assert.notEqual(await rolesInPreview(), before)
      if (undo) {
        await browser.open(`${undo}?kind=agents`)
        const restored = await browser.send(`${undo}/${idOf(agent)}/restore`)
        assert.equal(restored.location, agent)
      } else await send(page, action)
      assert.equal(await rolesInPreview(), before)
    })
  }

  it("names the disabled blueprint on its agent's page", async () => {
    await send(blueprint, '/enabled')
    const { text } = await browser.open(agent)
    assert.match(
      text,
      /its blueprint &quot;Night blueprint&quot;: its service principal is disabled/,
    )
    assert.ok(text.includes(`class="primary" href="${blueprint}">Open the blueprint`))
    assert.match(await verdictOf(blueprint), /get no token: its service principal is disabled/)
    await send(blueprint, '/enabled')
  })

  it('renames an agent only once when the old form is sent again', async () => {
    const { text } = await browser.open(agent)
    const fields = { ...hiddenFieldsOf(text, `${agent}/rename`), display_name: 'Day agent' }
    const sendAgain = () => browser.post(`${agent}/rename`, new URLSearchParams(fields))
    assert.equal((await sendAgain()).status, 303)
    assert.match((await browser.open(agent)).text, /<h1><bdi>Day agent<\/bdi>/)
    assert.equal((await sendAgain()).status, 412)
  })
})
