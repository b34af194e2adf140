import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { GraphTenant } from '../../../../test/fixtures/graph/graph-tenant.ts'
import {
  PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../../test/fixtures/portal/portal-browser.ts'

const seed = join(
  import.meta.dirname,
  '../../../../services/identity-provider/test/seed/sample.json',
)
const api = 'Greeting API'
const permissions = [{ api, roles: ['CallHiApiRole'] }]
const secrets = [{ displayName: 'first' }]

/** Clients of the API by their state. */
const clients = {
  'gets its roles': { displayName: 'Ready job', permissions, secrets },
  'waits for consent': { displayName: 'Waiting job', permissions, secrets },
  'no valid credential': { displayName: 'Keyless job', permissions },
  'requests no role': { displayName: 'Idle job', secrets },
} as const

describe('the overview and the application list', () => {
  const folder = freshFolder()
  let server: PortalServer
  let browser: PortalBrowser

  before(async () => {
    const sample = JSON.parse(await readFile(seed, 'utf8'))
    const consents = [{ client: 'Ready job', api }]
    const file = join(folder, 'registrations.json')
    await writeFile(file, JSON.stringify({ ...sample, clients: Object.values(clients), consents }))
    server = await startPortal({ registrations: file })
    browser = await server.signedIn()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  /** The rows of the first table, with the text of their cells. */
  const rowsOf = (text: string) =>
    [...(text.split('<tbody>')[1]?.split('</tbody>')[0] ?? '').matchAll(/<tr>(.*?)<\/tr>/gs)].map(
      ([, row = '']) =>
        row.split(/<\/t[hd]>/).map((cell) => cell.replaceAll(/<[^>]*>/g, '').trim()),
    )
  const idOf = (text: string, name: string) =>
    new RegExp(`/portal/applications/([0-9a-f-]{36})">${name}<`).exec(text)?.[1] ?? ''

  for (const [state, { displayName }] of Object.entries(clients)) {
    it(`show a client as “${state}”`, async () => {
      const rows = rowsOf((await browser.open('/portal/applications')).text)
      assert.equal(rows.find(([name]) => name === displayName)?.[2], state)
    })
  }

  for (const [query, expected] of [
    ['', ['Administrator', api, 'Idle job', 'Keyless job', 'Ready job', 'Waiting job']],
    [
      'order=displayName+desc',
      ['Waiting job', 'Ready job', 'Keyless job', 'Idle job', api, 'Administrator'],
    ],
    ['search=job&order=displayName+desc', ['Waiting job', 'Ready job', 'Keyless job', 'Idle job']],
    ['kind=api', [api]],
    ['order=id+asc', ['Administrator', api, 'Idle job', 'Keyless job', 'Ready job', 'Waiting job']],
  ] as const) {
    it(`sort and filter applications by “${query}”`, async () => {
      const { status, text } = await browser.open(`/portal/applications?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(
        rowsOf(text).map(([name]) => name),
        expected,
      )
    })
  }

  for (const property of ['displayName', 'createdDateTime']) {
    it(`sort by ${property} through the link in its column, which names the direction`, async () => {
      const first = await browser.open(`/portal/applications?order=${property}+asc`)
      const column = `<th scope="col" aria-sort="ascending"><a href="/portal/applications?order=${property}+desc">`
      assert.ok(first.text.includes(column))
      const second = await browser.open(`/portal/applications?order=${property}+desc`)
      assert.equal(second.status, 200)
      assert.ok(
        second.text.includes(column.replace('ascending', 'descending').replace('desc"', 'asc"')),
      )
    })
  }

  it('show when a client got its last token', async () => {
    const listed = (await browser.open('/portal/applications')).text
    const id = idOf(listed, 'Ready job')
    const before = rowsOf(listed).find(([name]) => name === 'Ready job')
    assert.equal(before?.[3], 'never')
    await browser.open(`/portal/applications/${id}/credentials`)
    const made = await browser.send(`/portal/applications/${id}/credentials/secrets`, {
      description: 'second',
      days: '90',
    })
    const [, secret = ''] = /<code class="copyable">([^<]{20,})<\/code>/.exec(made.text) ?? []
    const token = await requestToken(id, secret)
    assert.equal(token.status, 200)
    for (let tries = 0; tries < 40; tries += 1) {
      const rows = rowsOf((await browser.open('/portal/applications')).text)
      if (rows.find(([name]) => name === 'Ready job')?.[3] !== 'never') return
      await new Promise((done) => setTimeout(done, 100))
    }
    assert.fail('the last token is not shown')
  })

  const requestToken = (id: string, secret: string) =>
    fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        scope: 'api://5b0c8f52-7d1e-4a36-b8e4-93f1a2c6d705/.default',
      }),
    })

  for (const [client, status, part] of [
    ['Ready job', 200, 'class="verdict good"'],
    ['waiting', 200, 'class="verdict warn"'],
    ['keyless', 200, 'class="verdict bad"'],
    ['job', 400, 'applications match “job”. Choose one'],
    ['nobody', 400, 'No application in this tenant matches “nobody”'],
  ] as const) {
    it(`report on the client “${client}” immediately`, async () => {
      const query = new URLSearchParams({ client, api })
      const answer = await browser.open(`/portal?${query}`)
      assert.equal(answer.status, status)
      assert.ok(answer.text.includes(part), answer.text)
      assert.ok(!answer.text.includes('Not done'))
    })
  }

  for (const [path, status, namesTheRoles] of [
    ['/portal', 200, true],
    ['/portal/applications', 200, false],
    ['/portal/token', 200, false],
    ['/portal/logs', 403, true],
    ['/portal/keys', 403, true],
  ] as const) {
    it(`return ${status} at ${path} to the administrator of another tenant`, async () => {
      const { url } = server.provider
      const { tenantId, administrator } = server
      const another = await GraphTenant.create({ url, tenantId, administrator })
      const { CLIENT_ID, CLIENT_SECRET } = another.administrator
      const other = new PortalBrowser(url)
      await other.signIn(CLIENT_ID, CLIENT_SECRET)
      const page = await other.open(path)
      assert.equal(page.status, status)
      assert.ok(!page.text.includes('disabled or deleted'))
      assert.equal(page.text.includes('Only the first tenant has the roles'), namesTheRoles)
    })
  }

  it('list the users of the tenant, who cannot sign in', async () => {
    const { text } = await browser.open('/portal')
    assert.match(
      text,
      /<dt>Users<\/dt><dd>(<p>\w+ \w+ <code>[^<]+@[^<]+<\/code><\/p>){3}\s<small>.*The users cannot sign in\./,
    )
  })

  it('list the clients that need attention, with the missing step', async () => {
    const rows = rowsOf((await browser.open('/portal')).text)
    const stateOf = (client: string) => rows.find(([name]) => name === client)
    assert.equal(
      stateOf('Waiting job')?.[1],
      'waits for consent Greeting API: requested but not granted: CallHiApiRole.',
    )
    assert.equal(stateOf('Keyless job')?.[1], 'no valid credential It has no credential.')
    assert.equal(stateOf('Ready job'), undefined)
  })

  it('list each client once, with its missing step first and then its refusals of the last hour with the remedy', async () => {
    const listed = (await browser.open('/portal/applications')).text
    for (const name of ['Idle job', 'Idle job', 'Waiting job'])
      await requestToken(idOf(listed, name), 'wrong')
    await requestToken('11111111-1111-4111-8111-111111111111', 'wrong')
    for (let tries = 0; tries < 40; tries += 1) {
      const rows = rowsOf((await browser.open('/portal')).text)
      const stateOf = (name: string) => rows.find(([one]) => one === name)?.[1] ?? ''
      if (rows.length === 4 && stateOf('unknown client')) {
        const secretWrong = 'Secret wrong. Send the value of the secret'
        assert.ok(stateOf('Idle job').startsWith(`refused 2 times ${secretWrong}`))
        assert.match(stateOf('Waiting job'), /^waits for consent .+\.refused Secret wrong\. Send/)
        assert.match(stateOf('unknown client'), /^refused Client unknown\. Register the client/)
        assert.deepEqual(
          [...rows.slice(0, 2).toSorted(), ...rows.slice(2)].map(([name]) => name),
          ['Keyless job', 'Waiting job', 'Idle job', 'unknown client'],
        )
        return
      }
      await new Promise((done) => setTimeout(done, 100))
    }
    assert.fail('the refusals are not shown')
  })
})

describe('the primary button of a page with applications', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  for (const [path, name] of [
    ['/portal', 'New API with its client'],
    ['/portal?client=Greeting+client&api=Greeting+API', 'Request the token'],
    ['/portal/applications', 'New API with its client'],
    ['/portal/applications?kind=api', 'New API with its client'],
    ['/portal/applications?kind=client&for=5b0c8f52-7d1e-4a36-b8e4-93f1a2c6d705', 'Register'],
  ]) {
    it(`is “${name}” at ${path}`, async () => {
      const { text } = await browser.open(path ?? '')
      const buttons = [...text.matchAll(/class="primary"[^>]*>([^<]+)</g)]
      assert.deepEqual(
        buttons.map(([, label]) => label),
        [name],
      )
    })
  }
})

const maxFirstViewBytes = 25 * 1024
const maxOwnStyleBytes = 12 * 1024

it('the portal sends at most 25 KB for its first view, and its files are compressed', async () => {
  await using server = await startPortal({ registrations: seed })
  const browser = await server.signedIn()
  const { text } = await browser.open('/portal')
  const files = [...text.matchAll(/(?:href|src)="(\/portal\/static\/[^"]+)"/g)].map(
    ([, path]) => path,
  )
  assert.ok(new Set(files).size >= 4)
  let bytes = Buffer.byteLength(text)
  for (const path of new Set(files)) {
    const file = await fetch(`${server.provider.url}${path}`)
    assert.equal(file.headers.get('content-encoding'), 'gzip', path)
    const content = Buffer.from(await file.arrayBuffer())
    assert.doesNotMatch(content.toString(), /^(?:import |@import )/m, path)
    bytes += gzipSync(content).length
    if (path?.includes('portal.css')) assert.ok(content.length <= maxOwnStyleBytes, path)
  }
  assert.ok(bytes <= maxFirstViewBytes, `${bytes} bytes`)
})

it('the overview of an empty directory shows the first step as its only primary button', async () => {
  await using server = await startPortal()
  const browser = await server.signedIn()
  const { text } = await browser.open('/portal')
  assert.equal(text.split('class="primary"').length - 1, 1)
  assert.match(text, /class="primary"[^>]*>New API[\s\S]*no API and no client yet/)
  assert.match(
    text,
    /<p class="empty"><span class="mark good" aria-hidden="true">✓<\/span> No client lacks a step/,
  )
})
