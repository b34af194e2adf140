import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type PortalBrowser,
  type PortalServer,
  type Seen,
  startPortal,
} from '../../../test/fixtures/portal/portal-browser.ts'

describe('the six registration steps in the portal, without scripts', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal()
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  let api = ''
  let client = ''
  let secret = ''

  async function register(name: string, kind: string): Promise<string> {
    await browser.open('/portal/applications')
    const sent = await browser.send('/portal/applications', { display_name: name, kind })
    assert.equal(sent.status, 303, sent.text)
    return /applications\/([0-9a-f-]{36})$/.exec(sent.location ?? '')?.[1] ?? ''
  }

  const requestToken = async () => {
    const response = await fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: secret,
        scope: `api://${api}/.default`,
      }),
    })
    const { access_token = '' } = (await response.json()) as { access_token?: string }
    const [, claims = ''] = access_token.split('.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
  }

  /** The steps that the page of permissions names as missing. */
  const missingStep = async () => {
    const { text } = await browser.open(`/portal/applications/${client}/permissions`)
    const marked = [...text.matchAll(/<li class="missing"[\s\S]*?<a [^>]+>([^<]+)<\/a>/g)]
    const named = /Missing steps?: ([^.]+)\./.exec(text)?.[1]
    assert.equal(marked.length === 0 ? undefined : marked.map(([, step]) => step).join(', '), named)
    return named
  }

  it('1: register an API with its identifier URI', async () => {
    api = await register('Orders API', 'api')
    const { text } = await browser.open(`/portal/applications/${api}/expose`)
    assert.ok(text.includes(`api://${api}/.default`))
  })

  it('2: add roles to the API', async () => {
    const path = `/portal/applications/${api}/roles`
    for (const value of ['Orders.Read', 'Orders.Write']) {
      await browser.open(path)
      const sent = await browser.send(`${path}/add`, {
        value,
        display_name: value,
        description: `Allows ${value}.`,
      })
      assert.deepEqual([sent.status, sent.location], [303, path])
    }
    const { text } = await browser.open(path)
    assert.match(text, /Orders\.Read<\/code>[\s\S]*Orders\.Write<\/code>/)
  })

  it('3: register a client', async () => {
    client = await register('Night job', 'client')
    const { text } = await browser.open(`/portal/applications/${client}`)
    assert.match(text, /enabled/)
  })

  it('4: request the roles, and show that consent is missing', async () => {
    const path = `/portal/applications/${client}/permissions`
    const { text } = await browser.open(`${path}?api=Orders`)
    const boxes = [...text.matchAll(/name="(role:[^"]+)"/g)].map(([, name = '']) => [name, 'yes'])
    assert.equal(boxes.length, 2)
    const sent = await browser.send(`${path}/request`, Object.fromEntries(boxes))
    assert.equal(sent.status, 303, sent.text)
    assert.equal(await missingStep(), 'Admin consent, Client secret')
  })

  it('5: grant admin consent, and show that the secret is missing', async () => {
    const path = `/portal/applications/${client}/permissions`
    const { text } = await browser.open(path)
    assert.match(
      text,
      /Grants Orders\.Read, Orders\.Write of “<bdi>Orders API<\/bdi>” to “<bdi>Night job/,
    )
    assert.match(text, /Revokes nothing/)
    assert.equal((await browser.send(`${path}/consent`)).status, 303)
    assert.equal(await missingStep(), 'Client secret')
  })

  it('6: create a secret, and show it once', async () => {
    const path = `/portal/applications/${client}/credentials`
    await browser.open(path)
    const { status, text } = await browser.send(`${path}/secrets`, {
      description: 'night',
      days: '30',
    })
    assert.equal(status, 200)
    secret = /<dt>Value<\/dt><dd><code class="copyable">([^<]+)</.exec(text)?.[1] ?? ''
    assert.ok(secret.length > 30)
    assert.ok(text.includes(`CLIENT_SECRET=${secret}`), 'the settings to paste contain it')
    const later = (await browser.open(path)).text
    assert.ok(!later.includes(secret))
    for (const shown of [text, later]) {
      assert.equal(shown.match(/<input type="radio" name="program"/g)?.length, 9)
      assert.doesNotMatch(shown, /\{(\w+Url|tenantId|clientId|secret|scope)\}/)
      assert.ok(shown.includes(`builder(&quot;${client}&quot;`))
    }
    assert.equal(await missingStep(), undefined)
    assert.deepEqual((await requestToken()).roles, ['Orders.Read', 'Orders.Write'])
  })

  it('name the missing step after consent was withdrawn', async () => {
    const path = `/portal/applications/${client}/permissions`
    const before = await browser.open(path)
    const assignment = /name="assignment" value="([^"]+)"/.exec(before.text)?.[1] ?? ''
    await browser.send(`${path}/revoke`, { assignment })
    assert.equal(await missingStep(), 'Admin consent')
    const { text } = await browser.open(path)
    assert.match(text, /requested but not granted: Orders\./)
    assert.equal((await requestToken()).roles.length, 1)
  })

  it('list the clients with a role, the start of each grant and its administrator', async () => {
    const { text } = await browser.open(`/portal/applications/${api}/assignments`)
    assert.match(text, /Night job[\s\S]*<code>Orders\.\w+<\/code>[\s\S]*<td>Administrator<\/td>/)
  })

  it('replace a secret in three steps', async () => {
    const path = `/portal/applications/${client}/credentials`
    const all = await browser.open(path)
    const [, keyId] = /credentials\/([0-9a-f-]+)\/replace/.exec(all.text) ?? []
    const page = `${path}/${keyId}/replace`
    assert.match(
      (await browser.open(page)).text,
      /Create a new secret <span class="mark plain">to do/,
    )
    await browser.send(`${path}/secrets`, { description: 'night 2', days: '30' })
    assert.match(
      (await browser.open(page)).text,
      /Create a new secret <span class="mark good">done/,
    )
    await browser.send(`${path}/remove-secret`)
    assert.match((await browser.open(page)).text, /The secret was removed/)
  })

  it('add, show and remove a federated credential, and keep the entries of a refused one', async () => {
    const path = `/portal/applications/${client}/credentials`
    const fields = { name: 'github', issuer: 'https://token.example', audience: 'api://a' }
    await browser.open(path)
    const refused = await browser.send(`${path}/federated`, { ...fields, issuer: 'ftp://x' })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Not done[\s\S]*issuer/)
    assert.match(refused.text, /name="issuer" type="text" value="ftp:\/\/x"/)
    const added = await browser.send(`${path}/federated`, { ...fields, subject: 'repo:a' })
    assert.deepEqual([added.status, added.location], [303, path])
    const { text } = await browser.open(path)
    assert.match(text, /https:\/\/token\.example<\/code><\/td><td><code>repo:a</)
    await browser.send(`${path}/remove-federated`)
    assert.match((await browser.open(path)).text, /This application trusts no other issuer/)
  })

  const saveManifest = async (change: (text: string) => string): Promise<Seen> => {
    const path = `/portal/applications/${api}/manifest`
    const { text } = await browser.open(path)
    const [, shown = ''] = /<textarea name="manifest"[^>]*>([^<]*)<\/textarea>/.exec(text) ?? []
    return browser.send(path, { manifest: change(shown.replaceAll('&quot;', '"')) })
  }

  it('write a manifest', async () => {
    const sent = await saveManifest((text) => text.replace('Orders API', 'Orders'))
    assert.equal(sent.status, 303, sent.text)
    assert.match(
      (await browser.open(`/portal/applications/${api}`)).text,
      /<h1><bdi>Orders<\/bdi><\/h1>/,
    )
  })

  for (const [fault, change, sentence] of [
    [
      'broken JSON',
      (text: string) => text.replace('"id"', 'id'),
      /Line 2: the manifest is not JSON/,
    ],
    [
      'a wrong value',
      (text: string) => text.replace('"isEnabled": true', '"isEnabled": "yes"'),
      /Line \d\d: Invalid value specified for property &#39;appRoles\[0\]\.isEnabled/,
    ],
    [
      'another ID',
      (text: string) =>
        text.replace(/"appId": "[0-9a-f-]+"/, '"appId": "00000000-0000-4000-8000-000000000000"'),
      /Line 3: appId cannot be changed/,
    ],
  ] as const) {
    it(`report ${fault} in a manifest at its line, and keep the text`, async () => {
      const { status, text } = await saveManifest(change)
      assert.equal(status, 400)
      assert.match(text, sentence)
      assert.match(text, /<textarea name="manifest"/)
    })
  }

  it('keep the entries if another administrator has changed the same object', async () => {
    const path = `/portal/applications/${api}`
    await browser.open(path)
    const other = await server.signedIn()
    await other.open(path)
    assert.equal((await other.send(`${path}/rename`, { display_name: 'First' })).status, 303)
    const late = await browser.send(`${path}/rename`, { display_name: 'Second' })
    assert.equal(late.status, 412)
    assert.match(late.text, /Another administrator has changed it in the meantime/)
    assert.match(late.text, /<h1><bdi>First<\/bdi><\/h1>/)
    assert.match(late.text, /name="display_name" type="text" value="Second"/)
  })

  it('delete and restore an application', async () => {
    const path = `/portal/applications/${client}`
    await browser.open(path)
    assert.equal((await browser.send(`${path}/delete`)).location, '/portal/deleted')
    const deleted = await browser.open('/portal/deleted')
    const [, action = ''] = /action="(\/portal\/deleted\/[^"]+)"/.exec(deleted.text) ?? []
    const { location } = await browser.send(action)
    assert.equal(location, path)
    assert.equal((await browser.open(path)).status, 200)
  })

  it('record each change with the administrator as the actor', async () => {
    const { clientId, clientSecret } = server.administrator
    const token = await fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        scope: 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6/.default',
      }),
    })
    const { access_token } = (await token.json()) as { access_token: string }
    const audit = await fetch(
      `${server.provider.url}/management/audit?actor=${clientId}&limit=50`,
      {
        headers: { authorization: `Bearer ${access_token}` },
      },
    )
    const { value } = (await audit.json()) as { value: { action: string }[] }
    const actions = new Set(value.map(({ action }) => action))
    for (const action of [
      'application.create',
      'servicePrincipal.create',
      'application.addPassword',
      'appRoleAssignment.create',
      'appRoleAssignment.delete',
      'application.delete',
    ]) {
      assert.ok(actions.has(action), action)
    }
  })
})
