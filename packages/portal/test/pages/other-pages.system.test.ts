import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import {
  hiddenFieldsOf,
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = `${import.meta.dirname}/../../../../services/identity-provider/test/seed/sample.json`

describe('the other pages of the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  const preview = '/portal/token?client=Greeting+client&api=Greeting+API&endpoint=v2.0'

  it("preview a client's token with the guard's decision, but without a signature", async () => {
    const { status, text } = await browser.open(preview)
    assert.equal(status, 200, text)
    for (const part of [
      '<code>roles</code>',
      'CallHiApiRole',
      'A route that requires CallHiApiRole',
      'A route that requires CallHelloApiRole',
      'The API for which the token is issued',
      'The API decides it, not the endpoint',
      '<code class="copyable">[&quot;CallHiApiRole&quot;',
    ]) {
      assert.ok(text.includes(part), part)
    }
    assert.doesNotMatch(text, /eyJ[\w-]+\.eyJ/, 'no token leaves the server')
  })

  for (const [search, isFound] of [
    ['client greeting', true],
    ['Greet', true],
    ['greeting "client\\', true],
    ['greeting nothing', false],
    ["'%", false],
    ['', true],
  ] as const) {
    it(`${isFound ? 'find' : 'do not find'} an application by “${search}”`, async () => {
      const query = new URLSearchParams({ search })
      const { status, text } = await browser.open(`/portal/applications?${query}`)
      assert.equal(status, 200, text)
      assert.equal(text.includes('>Greeting client</a>'), isFound)
    })
  }

  it('render completely without scripts', async () => {
    const { text } = await browser.open('/portal/applications?search=greeting+client')
    const [, path = ''] = /href="(\/portal\/applications\/[0-9a-f-]{36})"/.exec(text) ?? []
    const tabs = [
      '',
      '/credentials',
      '/permissions',
      '/roles',
      '/expose',
      '/assignments',
      '/manifest',
    ]
    const others = ['', '/applications', '/deleted', '/token', '/logs', '/keys', '/file']
    const paths = [
      ...tabs.map((tab) => `${path}${tab}`),
      ...others.map((other) => `/portal${other}`),
      '/portal/logs?log=directory',
    ]
    for (const one of paths) {
      const { status, text: shown } = await browser.open(one)
      assert.equal(status, 200, one)
      assert.match(shown, /<main id="content">[\s\S]*<h1><bdi>[^<]+<\/bdi><\/h1>/, one)
    }
  })

  it('find an API for a permission by a word in its name', async () => {
    const { text } = await browser.open('/portal/applications?search=greeting+client')
    const [, path = ''] = /href="(\/portal\/applications\/[0-9a-f-]{36})"/.exec(text) ?? []
    const found = await browser.open(`${path}/permissions?api=api`)
    assert.match(found.text, /<h3><bdi>Greeting API/)
    const other = await browser.open(`${path}/permissions?api=nothing`)
    assert.match(other.text, /No API with an enabled role matches/)
  })

  it('show a credential that expires soon on the overview', async () => {
    const path = `/portal/applications/${server.administrator.clientId}/credentials`
    await browser.open(path)
    await browser.send(`${path}/secrets`, { description: 'ends soon', days: '30' })
    const { text } = await browser.open('/portal')
    assert.match(text, /<span class="mark warn">expires soon<\/span> Secret “ends soon”/)
  })

  it('request a token at the token endpoint, and show a refusal', async () => {
    await browser.open(preview)
    const { status, text } = await browser.send('/portal/token/request', { client_secret: 'wrong' })
    assert.equal(status, 200)
    assert.match(text, /HTTP status 401[\s\S]*AADSTS7000215/)
  })

  for (const [name, query, sentence] of [
    [
      'an unknown client',
      'client=Nothing&api=Greeting+API',
      /No application in this tenant matches “Nothing”/,
    ],
    [
      'an unknown API',
      'client=Greeting+client&api=api://nothing',
      /No application in this tenant matches/,
    ],
  ] as const) {
    it(`report ${name} on the token page`, async () => {
      const { status, text } = await browser.open(`/portal/token?${query}`)
      assert.equal(status, 400)
      assert.match(text, sentence)
    })
  }

  const administratorToken = async (secret = server.administrator.clientSecret) => {
    const response = await fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: server.administrator.clientId,
        client_secret: secret,
        scope: 'https://graph.microsoft.com/.default',
      }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }

  it('show a secret of the service principal and its expiry', async () => {
    const { clientId } = server.administrator
    const path = `/portal/applications/${clientId}/credentials`
    assert.doesNotMatch((await browser.open(path)).text, /Credentials of the service principal/)
    const principal = `${server.provider.url}/v1.0/servicePrincipals(appId='${clientId}')`
    const endDateTime = new Date(Date.now() + 10 * 86_400_000).toISOString()
    const { status } = await fetch(`${principal}/addPassword`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await administratorToken()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ passwordCredential: { displayName: 'of one tenant', endDateTime } }),
    })
    assert.equal(status, 200)
    const { text } = await browser.open(path)
    assert.match(text, /<h2>Credentials of the service principal<\/h2>[\s\S]*>of one tenant<\/th>/)
    assert.match((await browser.open('/portal')).text, /Secret “of one tenant”/)
  })

  it('show the Microsoft Graph code and message for a secret that a policy refuses', async () => {
    const url = `${server.provider.url}/v1.0/policies/defaultAppManagementPolicy`
    const authorization = `Bearer ${await administratorToken()}`
    const headers = { authorization, 'content-type': 'application/json' }
    const limit = (isEnabled: boolean) => {
      const longest = { restrictionType: 'passwordLifetime', maxLifetime: 'P30D' }
      const applicationRestrictions = { passwordCredentials: isEnabled ? [longest] : [] }
      const body = JSON.stringify({ isEnabled, applicationRestrictions })
      return fetch(url, { method: 'PATCH', headers, body })
    }
    assert.equal((await limit(true)).status, 204)
    const path = `/portal/applications/${server.administrator.clientId}/credentials`
    await browser.open(path)
    const { status, text } = await browser.send(`${path}/secrets`, { days: '90' })
    await limit(false)
    assert.equal(status, 400)
    assert.match(
      text,
      /Not done\.<\/strong> Credential lifetime exceeds the max value allowed as per assigned policy[^<]* \(CredentialInvalidLifetimeAsPerAppPolicy\)/,
    )
  })

  it('check a pasted token with the guard, and repeat it nowhere', async () => {
    const token = await administratorToken()
    for (const [pasted, api, verdict] of [
      [token, '', /5\. Time<\/th><td><span class="mark good">passed/],
      [`Bearer ${token}`, 'Microsoft Graph', /200<\/span>/],
      [token, 'Greeting API', /audience_not_ours/],
      [`${token.slice(0, -4)}AAAA`, '', /signature_invalid/],
      ['not-a-token', 'Greeting API', /token_malformed/],
    ] as const) {
      await browser.open('/portal/token')
      const { status, text } = await browser.send('/portal/token/check', { token: pasted, api })
      assert.equal(status, 200, text)
      assert.match(text, verdict)
      assert.ok(!text.includes(token.slice(0, 60)))
    }
  })

  it('filter the logs, and explain each refusal', async () => {
    await administratorToken('wrong')
    const shown = async () => (await browser.open('/portal/logs?reason=secret_wrong')).text
    let text = await shown()
    // The server writes sign-ins in batches.
    for (let count = 0; count < 40 && !text.includes('Secret wrong.'); count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      text = await shown()
    }
    assert.match(text, /refused<\/span> Secret wrong\. <small>[^<]{10,}/)
    assert.match(text, /Reason: secret_wrong /)
  })

  it('export the logs as JSON lines', async () => {
    const { headers, text } = await browser.open('/portal/logs/export?log=directory')
    assert.match(headers.get('content-disposition') ?? '', /directory\.jsonl/)
    const lines = text.trimEnd().split('\n')
    assert.ok(lines.length > 1)
    for (const line of lines) assert.ok('action' in JSON.parse(line))
  })

  it('report an invalid filter of the logs', async () => {
    const { status, text } = await browser.open('/portal/logs?from=yesterday')
    assert.equal(status, 400)
    assert.match(text, /from/)
  })

  it('rotate the keys, and revoke one after a confirmation', async () => {
    const before = await browser.open('/portal/keys')
    assert.match(before.text, /<svg viewBox/)
    assert.equal((await browser.send('/portal/keys/rotate')).location, '/portal/keys')
    const { text } = await browser.open('/portal/keys')
    const kids = [...text.matchAll(/href="\/portal\/keys\/([^/]+)\/revoke"/g)].map(([, kid]) => kid)
    assert.ok(kids.length >= 2)
    const [kid = ''] = kids
    const path = `/portal/keys/${kid}/revoke`
    assert.match((await browser.open(path)).text, /An API refuses every token that this key signed/)
    assert.equal((await browser.send(path)).status, 303)
    assert.ok(!(await browser.open('/portal/keys')).text.includes(`/keys/${kid}/revoke`))
    assert.equal((await browser.open(path)).status, 404)
  })

  const upload = async (text: string) => {
    const page = await browser.open('/portal/file')
    const body = new FormData()
    const { form_token = '' } = hiddenFieldsOf(page.text, '/portal/file/plan')
    body.set('form_token', form_token)
    body.set('file', new Blob([text], { type: 'application/json' }), 'registrations.json')
    return browser.post('/portal/file/plan', body)
  }

  it('export a registrations file whose plan is empty', async () => {
    const { text } = await browser.open('/portal/file/export')
    assert.ok(parseRegistrations(text).apis.length > 0)
    assert.match((await upload(text)).text, /No changes: the directory matches the file/)
  })

  it('apply the displayed plan, and show new secrets once', async () => {
    const file = JSON.stringify({
      apis: [
        {
          displayName: 'Bills API',
          appRoles: [{ value: 'Bills.Read', displayName: 'Read', description: 'Read bills' }],
        },
      ],
      clients: [
        {
          displayName: 'Bills job',
          permissions: [{ api: 'Bills API', roles: ['Bills.Read'] }],
          secrets: [{ displayName: 'first' }],
        },
      ],
      consents: [{ client: 'Bills job', api: 'Bills API', roles: ['Bills.Read'] }],
    })
    const planned = await upload(file)
    assert.match(planned.text, /1 API registration[\s\S]*6 Client secret/)
    const body = new FormData()
    for (const [name, value] of Object.entries(
      hiddenFieldsOf(planned.text, '/portal/file/apply'),
    )) {
      body.set(name, value)
    }
    body.set('file', file)
    const applied = await browser.post('/portal/file/apply', body)
    assert.match(applied.text, /Done: the directory matches the file/)
    assert.match(applied.text, /New secrets/)
    const again = await browser.post('/portal/file/apply', body)
    assert.match(again.text, /The directory has changed/)
  })

  for (const [name, text, sentence] of [
    ['that is not JSON', '{\n "apis": [,] }', /is not JSON in line 2/],
    ['with a wrong key', '{\n "apis": [],\n "clints": [] }', /Line 3: clints is not a property/],
    [
      'with an error',
      '{ "apis": [\n { "displayName": "A",\n "appRoles": 7 } ] }',
      /Line 3: apis\[0\]\.appRoles must be of type array/,
    ],
    ['that is empty', '', /is not JSON/],
    [
      'that is larger than the limit',
      `{ "apis": [] ${' '.repeat(1024 * 1024)} }`,
      /larger than 1024 KiB/,
    ],
  ] as const) {
    it(`report a file ${name}`, async () => {
      const { status, text: shown } = await upload(text)
      assert.equal(status, 400)
      assert.match(shown, sentence)
    })
  }

  it('refuse a file of 50 MB without reading it', async () => {
    const { status, text } = await upload('x'.repeat(50 * 1024 * 1024))
    assert.equal(status, 413)
    assert.match(text, /larger than the portal accepts. Nothing was changed/)
  })

  it("keep a form's entries after its session has ended", async () => {
    const ended = await server.signedIn()
    await ended.open('/portal/applications')
    ended.cookie = ''
    const asked = await ended.send('/portal/applications', {
      display_name: 'Typed before',
      kind: 'client',
    })
    assert.equal(asked.status, 401)
    assert.match(asked.text, /Your session has ended[\s\S]*Your entries are kept/)
    const { clientId, clientSecret } = server.administrator
    const fields = { client_id: clientId, client_secret: clientSecret }
    const kept = await ended.send('/portal/sign-in', fields)
    assert.match(kept.text, /Typed before/)
    const sent = await ended.send('/portal/applications')
    assert.equal(sent.status, 303)
    assert.match((await ended.open(sent.location ?? '')).text, /<h1><bdi>Typed before<\/bdi><\/h1>/)
  })

  it('AS39: end every session that started with a removed secret', async () => {
    const path = `/portal/applications/${server.administrator.clientId}/credentials`
    const first = await server.signedIn()
    await first.open(path)
    const made = await first.send(`${path}/secrets`, { description: 'second', days: '30' })
    const secret = /<dt>Value<\/dt><dd><code class="copyable">([^<]+)</.exec(made.text)?.[1] ?? ''
    const second = await server.signedIn()
    await second.signIn(server.administrator.clientId, secret)
    await second.open(path)
    assert.equal((await second.send(`${path}/remove-secret`)).status, 303)
    assert.equal((await first.open('/portal')).status, 401)
    assert.equal((await second.open('/portal')).status, 200)
  })
})
