import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { estimateTokenBytes } from '@greeting/registrations/token-size'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import {
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)

describe('the token preview', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  it("estimates a token's size within 5 percent", async () => {
    // Few long names make a token as large as many short ones, and cost less.
    const sizes = [
      { count: 0, length: 20 },
      { count: 1, length: 20 },
      { count: 40, length: 20 },
      { count: 40, length: 100 },
      { count: 80, length: 100 },
      { count: 180, length: 100 },
    ]
    const apis = sizes.flatMap(({ count, length }) =>
      [1, 2].map((version) => ({
        displayName: `${count} roles of ${length} v${version}`,
        requestedAccessTokenVersion: version,
        appRoles: Array.from({ length: count }, (_, index) => ({
          value: `Orders.${index}.`.padEnd(length, 'x'),
          displayName: 'r',
          description: 'd',
        })),
      })),
    )
    const permissions = apis
      .filter(({ appRoles }) => appRoles.length > 0)
      .map(({ displayName: api, appRoles }) => ({ api, roles: appRoles.map(({ value }) => value) }))
    const file = join(freshFolder(), 'registrations.json')
    const client = 'Large job'
    const consents = permissions.map(({ api }) => ({ client, api }))
    const clients = [{ displayName: client, permissions, secrets: [{ displayName: 'first' }] }]
    await writeFile(file, JSON.stringify({ apis, clients, consents }))
    await using large = await startPortal({ registrations: file })
    const page = await large.signedIn()
    const warnings = new Set<string | undefined>()
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
      warnings.add(warning)
    }
    assert.deepEqual(warnings, new Set([undefined, 'many proxies', 'Node']))
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

  it('shows a link for each application whose name contains the text', async () => {
    const { status, text } = await browser.open('/portal/token?client=greeting&api=Greeting+API')
    assert.equal(status, 400)
    assert.match(text, /\d applications match “greeting”\. Choose one/)
    assert.match(text, /<li><a href="[^"]+">Greeting client<\/a>/)
  })

  it('suggests similar applications, with links to their previews', async () => {
    const { status, text } = await browser.open('/portal/token?client=greting&api=Greeting+API')
    assert.equal(status, 400)
    assert.match(text, /No application in this tenant matches “greting”\. Did you mean “Greeting /)
    const links = text.matchAll(/<li><a href="([^"]+)">Greeting client<\/a>/g)
    const [link = ''] = [...links].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    const shown = await browser.open(link)
    assert.equal(shown.status, 200)
    assert.match(
      shown.text,
      /“<bdi>Greeting client<\/bdi>” gets a token for “<bdi>Greeting API<\/bdi>”/,
    )
  })

  it('names every missing step of a new client, and shows links if a second client has the same name', async () => {
    const register = async () => {
      await browser.open('/portal/applications')
      const fields = { display_name: 'Nightly job', kind: 'client' }
      const sent = await browser.send('/portal/applications', fields)
      if (sent.status === 303) return sent.location?.split('/').at(-1)
      assert.match(
        sent.text,
        /1 application already has the name “Nightly job”\. Send the form again/,
      )
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

  const part = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const tokenOf = (
    claims: object | string,
    header: object = { alg: 'RS256', typ: 'JWT', kid: 'k' },
  ) => `${part(header)}.${part(claims)}.AAAA`
  const check = async (fields: Record<string, string>) => {
    await browser.open('/portal/token')
    const { status, text } = await browser.send('/portal/token/check', fields)
    const rows = [...text.matchAll(/<tr><th scope="row">([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      row.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|[\s|]*/g, '|'),
    )
    return { status, text, rows }
  }

  for (const [name, claims, expected] of [
    [
      'another issuer',
      { iss: 'https://other' },
      /^2\. Issuer\|failed\|issuer_not_trusted: .*\|http.*\|https:\/\/other\|/,
    ],
    ['a repeated claim', '{"aud":"a","aud":"b"}', /^1\. Format\|failed\|claims_malformed: /],
    [
      'claims that are nested too deeply',
      `{"aud":${'['.repeat(5900)}${']'.repeat(5900)}}`,
      /^1\. Format\|failed\|/,
    ],
  ] as const) {
    it(`shows the check that refuses ${name} and the compared values, but no later check`, async () => {
      const { status, rows } = await check({ token: tokenOf(claims), api: 'Greeting API' })
      assert.equal(status, 200)
      const at = rows.findIndex((row) => row.includes('|failed|'))
      assert.match(rows[at] ?? '', expected)
      for (const row of rows.slice(at + 1, 8)) assert.match(row, /^\d\. [^|]+\|not reached\|$/)
    })
  }

  it('compares two tokens claim by claim, and explains their differences', async () => {
    const first = {
      aud: 'Greeting API',
      ver: '1.0',
      appid: 'a',
      iat: 1,
      roles: ['A', 'B'],
      tid: 't',
    }
    const second = {
      aud: 'Greeting API',
      ver: '2.0',
      azp: 'a',
      iat: 2,
      roles: ['B', 'C'],
      tid: 't',
    }
    const tokens = { token: tokenOf(first), other_token: `Bearer ${tokenOf(second)}` }
    const { rows, text } = await check({ ...tokens, compare: 'yes' })
    for (const expected of [
      'ver|differs|The API decides the version, not the endpoint. Each version has its issuer.|1.0|2.0|',
      'appid|differs|Only one token version has this claim. The API decides the version.|a|absent|',
      'iat|differs|Each token has its own times.|1|2|',
      'tid|same|t|t|',
      'A route that requires CallHiApiRole|The verdict of the guard.|401 issuer_not_trusted|401 issuer_not_trusted|',
    ]) {
      assert.ok(
        rows.some((row) => row.endsWith(expected)),
        `${expected}\n${rows.join('\n')}`,
      )
    }
    assert.match(text, /Only in the first: A\. Only in the second: C\./)
    assert.ok(!text.includes(tokens.token))
  })

  it('compares a token with the preview, without a request to another server', async () => {
    const fields = { token: tokenOf({ aud: 'x' }), client: 'Greeting client', api: 'Greeting API' }
    const { rows, text } = await check({ ...fields, compare: 'yes' })
    assert.ok(rows.some((row) => row.includes('Only in the second: CallHiApiRole')))
    assert.doesNotMatch(text, /eyJ[\w-]+\.eyJ/)
  })

  for (const [name, fields, sentence] of [
    [
      'a second token that is too long',
      { token: 'a', other_token: 'a'.repeat(16_385) },
      'The token is too long.',
    ],
    [
      'a comparison without a second token',
      { token: tokenOf({}), compare: 'yes', client: '' },
      'Paste a second token, or preview one first.',
    ],
    [
      'a comparison with an invalid text',
      { token: tokenOf({}), other_token: 'a', compare: 'yes' },
      'One of the texts to compare is not a token.',
    ],
  ] as const) {
    it(`refuses ${name}, and repeats no token`, async () => {
      const { status, text } = await check({ api: 'Greeting API', ...fields })
      assert.equal(status, 400)
      assert.ok(text.includes(`<strong>Not checked.</strong> ${sentence}`))
      assert.ok(!text.includes(fields.token.repeat(10)))
    })
  }

  it('keeps no pasted token after the session has ended', async () => {
    const ended = await server.signedIn()
    await ended.open('/portal/token')
    ended.cookie = ''
    const pasted = { token: 'first.pasted.token', other_token: 'second.pasted.token', api: 'kept' }
    const { status } = await ended.send('/portal/token/check', pasted)
    assert.equal(status, 401)
    const { clientId, clientSecret } = server.administrator
    const fields = { client_id: clientId, client_secret: clientSecret }
    const { text } = await ended.send('/portal/sign-in', fields)
    assert.match(text, /value="kept"/)
    assert.doesNotMatch(text, /pasted\.token/)
  })

  it('requests the token with the secret, shows the permitted routes, and links to the settings', async () => {
    const question = '/portal/token?client=Greeting+client&api=Greeting+API'
    const { text: shown } = await browser.open(question)
    assert.match(shown, /<button class="primary">Request the token/)
    const [, id = ''] = /name="client" value="([0-9a-f-]{36})"/.exec(shown) ?? []
    const path = `/portal/applications/${id}/credentials`
    const { text: permissions } = await browser.open(path.replace('credentials', 'permissions'))
    const next = new RegExp(`class="primary" href="/portal/token\\?[^"]*client=${id}`)
    assert.match(permissions, next)
    await browser.open(path)
    const made = await browser.send(`${path}/secrets`, { description: 'token page', days: '30' })
    const [, secret = ''] =
      /<dt>Value<\/dt><dd><code class="copyable">([^<]+)</.exec(made.text) ?? []
    for (const endpoint of ['v1.0', 'v2.0']) {
      await browser.open(question)
      const fields = { client_secret: secret, endpoint }
      const { text } = await browser.send('/portal/token/request', fields)
      for (const role of ['CallHiApiRole', 'CallHelloApiRole'])
        assert.match(text, new RegExp(`that requires ${role}</th>(?:(?!</tr>).)*good">200<`))
      assert.ok(text.includes(`class="primary" href="${path}#settings"`))
      assert.match(text, /name="client" type="text" value="Greeting client"/)
      assert.ok(!text.includes(secret))
    }
  })

  it('reports that no preview exists, rather than that an action failed', async () => {
    const { text } = await browser.open('/portal/token?client=Nothing&api=Greeting+API')
    assert.match(text, /<strong>No preview\.<\/strong> No application in this tenant matches/)
  })
})
