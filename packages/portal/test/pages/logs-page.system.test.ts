import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { html } from 'hono/html'
import { refusalTable } from '../../../../services/identity-provider/src/refusals/refusal-table.ts'
import {
  PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)

describe('the portal, on its log and error pages,', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let clientId: string
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
    const { clientId: id, clientSecret } = server.administrator
    clientId = id
    const request = (changed: Record<string, string>) =>
      fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
        method: 'POST',
        headers: { 'client-request-id': correlationId },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
          scope: 'https://graph.microsoft.com/.default',
          ...changed,
        }),
      })
    for (const changed of [{}, { client_secret: 'wrong' }, { scope: 'api://nothing/.default' }])
      await request(changed)
    await rowsOf('', 3)
  })
  after(() => server?.[Symbol.asyncDispose]())

  const correlationId = '5f0e7b3c-8f14-4c92-a6d1-2b9c40e8f713'
  const rowForm =
    /<tr><th scope="row"><a href="([^"]+)">.*?<\/th><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><\/tr>/gs
  const plain = (text = '') => text.replaceAll(/<[^>]+>/g, '')

  /** The rows of the log, once there are some: the server writes sign-ins in batches. */
  async function rowsOf(query: string, least = 0) {
    for (let count = 0; ; count += 1) {
      const { status, text } = await browser.open(`/portal/logs?${query}`)
      assert.equal(status, 200, text)
      const rows = [...text.matchAll(rowForm)].map(([, path = '', result, action, who]) => ({
        path,
        said: [result, action, who].map(plain).join(' | '),
      }))
      if (rows.length >= least || count > 60) return rows
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const unknown =
    'refused Resource unknown. Compare the scope with the identifier URI of the API. The API needs a service principal in this tenant. | Token request | Administrator'
  const wrong =
    'refused Secret wrong. Send the value of the secret, not its ID, and URL-encode it. | Token request | Administrator'
  const issued = 'done | Token request | Administrator → Microsoft Graph'
  const signedIn = 'done | Sign-in to the portal | Administrator'

  for (const [name, query, rows] of [
    ['hides successful sign-ins to the portal', '', [unknown, wrong, issued]],
    [
      'shows successful portal sign-ins on demand',
      'portal=shown',
      [unknown, wrong, issued, signedIn],
    ],
    [
      'shows portal sign-ins if the filter selects their action',
      'action=portal.signIn',
      [signedIn],
    ],
    ['filters by outcome', 'outcome=refused', [unknown, wrong]],
    ['filters by reason', 'reason=secret_wrong', [wrong]],
    ['filters by a client name', 'actor=administrator', [unknown, wrong, issued]],
    ['filters by an API name', 'target=Microsoft+Graph', [issued]],
    ['filters by an unknown name', 'actor=nothing', []],
    ['filters by correlation ID', `correlationId=${correlationId}`, [unknown, wrong, issued]],
    ['filters by time', 'to=2020-01-01T00:00:00Z', []],
  ] as const)
    it(name, async () => {
      assert.deepEqual(
        (await rowsOf(query)).map(({ said }) => said),
        rows,
      )
    })

  it('filters by a client ID, and links to the page without the filter', async () => {
    assert.equal((await rowsOf(`actor=${clientId}&outcome=done`)).length, 1)
    const { text } = await browser.open('/portal/logs?reason=secret_wrong&outcome=refused')
    assert.match(
      text,
      /href="\/portal\/logs\?outcome=refused" aria-label="Remove Reason: secret_wrong">/,
    )
  })

  it('draws the last 24 hours, with the counts as text', async () => {
    const { text } = await browser.open('/portal/logs')
    const figure = /<figure class="timeline.*?<\/figure>/s.exec(text)?.[0] ?? ''
    // The requests of this test may lie in two hours.
    assert.ok((figure.match(/UTC: 0 accepted, 0 refused<\/title>/g)?.length ?? 0) >= 22)
    assert.equal(figure.match(/<title>/g)?.length, 24)
    assert.match(figure, /1 accepted<\/span>.*2 refused<\/span>/)
    assert.doesNotMatch(figure, / style=/)
    const hours = [...figure.matchAll(/href="\/portal\/logs\?([^"]+)"/g)].slice(-2)
    const found = await Promise.all(
      hours.map(([, hour = '']) => rowsOf(hour.replaceAll('&amp;', '&'))),
    )
    assert.equal(found.flat().length, 3)
    const update = await browser.open('/portal/logs', { 'portal-part': 'followed' })
    assert.match(update.text, /data-followed/)
    assert.doesNotMatch(update.text, /<figure/, 'an update of the page counts no day')
  })

  for (const [name, query, parts] of [
    [
      'an issued token, with the claims that the client would get now',
      'outcome=done',
      ['The log keeps no token', '<code>roles</code>', 'Resource unknown.'],
    ],
    [
      'a refusal, with its code and the page that fixes its cause',
      'reason=secret_wrong',
      ['href="/error?code=7000215">AADSTS7000215', '>Open Certificates &amp; secrets</a>', issued],
    ],
  ] as const)
    it(`shows all details of ${name}`, async () => {
      const [row] = await rowsOf(query)
      const { status, text } = await browser.open(row?.path ?? '')
      assert.equal(status, 200, text)
      for (const part of [...parts, correlationId, 'Related records'])
        assert.ok(
          text.includes(part) || plain(text.replaceAll(/<\/td><td[^>]*>/g, ' | ')).includes(part),
          part,
        )
      assert.doesNotMatch(text, /eyJ[\w-]+\.eyJ/, 'no token leaves the server')
    })

  it('shows a change, and names the changed object', async () => {
    await browser.open('/portal/applications')
    await browser.send('/portal/applications', { display_name: 'Night shift', kind: 'client' })
    const rows = await rowsOf('log=directory&action=application.create', 1)
    assert.match(
      rows[0]?.said ?? '',
      /^done \| Application: create \| Administrator → Night shift$/,
    )
    const { text } = await browser.open(rows[0]?.path ?? '')
    assert.match(text, /<h1><bdi>Application: create · done<\/bdi><\/h1>/)
    assert.match(text, /Service principal: create/)
  })

  it('reports that an application changed its own credential', async () => {
    const path = `/portal/applications/${clientId}/credentials`
    await browser.open(path)
    await browser.send(`${path}/secrets`)
    const [row] = await rowsOf('log=directory&action=application.addPassword', 1)
    assert.equal(row?.said, 'done | Application: add password | Administrator by itself')
    const { text } = await browser.open(row?.path ?? '')
    assert.match(plain(text), /Administrator by itself: Application: add password, done\./)
  })

  for (const [id, status] of [
    ['00000000-0000-7000-8000-000000000000', 404],
    ['nothing', 400],
  ] as const)
    it(`responds with ${status} for the record ${id}`, async () => {
      assert.equal((await browser.open(`/portal/logs/sign-ins/${id}`)).status, status)
    })

  const browserOf = async (query: string) =>
    browser.open(`/error?${query}`, { accept: 'text/html' })

  it('explains each AADSTS code in a browser, first the condition and then the remedy', async () => {
    for (const { code, error, when, remedy } of Object.values(refusalTable)) {
      const { status, text } = await browserOf(`code=${code}`)
      assert.equal(status, 200)
      const row = `<dt>If ${when}:</dt><dd>${await html`${remedy}`} `
      for (const part of [
        `<h1><bdi>AADSTS${code}: `,
        error,
        row,
        'portal.css',
        'action="/portal/logs"',
      ])
        assert.ok(text.includes(part), `${code}: ${part}`)
      assert.doesNotMatch(text, /Administrator|Greeting client|\/s-[0-9a-f]{32}/)
    }
  })

  for (const [name, query] of [
    ['an unknown code', 'code=1'],
    ['no code', ''],
    ['a number in another format', 'code=7.000215e6'],
    ['a long number', `code=${'7'.repeat(5000)}`],
    ['markup', 'code=<script>'],
  ] as const)
    it(`responds to ${name} with 404 without repeating it`, async () => {
      const { status, text } = await browserOf(query)
      assert.equal(status, 404)
      assert.match(text, /<h1><bdi>Unknown code<\/bdi><\/h1>/)
      assert.doesNotMatch(text, /<script>|77777|7\.0/)
    })

  it('offers the log for the correlation ID in a query if it is a GUID', async () => {
    const id = '5f0e7b3c-8f14-4c92-a6d1-2b9c40e8f713'
    const has = async (sent: string) =>
      (await browserOf(`code=50000&correlation_id=${encodeURIComponent(sent)}`)).text
    assert.match(await has(id), new RegExp(`name="correlationId" type="text" value="${id}"`))
    assert.match(await has(`${id}">`), /name="correlationId" type="text" value=""/)
    const command = 'greeting audit --correlation-id '
    assert.ok((await has(id)).includes(`${command}${id}<`))
    assert.ok((await has('x')).includes(`${command}&lt;correlation ID&gt;<`))
  })

  it('explains in plain words that an application does not exist', async () => {
    const { status, text } = await browser.open(`/portal/applications/${crypto.randomUUID()}`)
    assert.equal(status, 404)
    assert.match(text, /There is no such object\. It may have been deleted\./)
    assert.doesNotMatch(text, /reference-property/)
  })

  it('leads from an error page to the sign-in and then to the record', async () => {
    const other = new PortalBrowser(server.provider.url)
    const path = `/portal/logs?correlationId=${correlationId}`
    assert.equal((await other.open(path)).status, 401)
    const { clientId: client_id, clientSecret: client_secret } = server.administrator
    const { location } = await other.send('/portal/sign-in', { client_id, client_secret })
    assert.equal(location, path)
    const { text } = await other.open(path)
    assert.match(text, /<span class="mark bad">refused<\/span> Secret wrong\./)
  })
})
