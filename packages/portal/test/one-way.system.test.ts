import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  hiddenFieldsOf,
  type PortalBrowser,
  type PortalServer,
  startPortal,
} from '../../../test/fixtures/portal/portal-browser.ts'

const primary = /class="primary"[^>]*>([^<]+)</g

describe('the way from an empty directory to a token in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  before(async () => {
    server = await startPortal()
    browser = await server.signedIn()
  })
  after(() => server?.[Symbol.asyncDispose]())

  const fields = { api_name: 'Orders API', value: 'Read\r\nWrite\r\n', client_name: 'Night job' }
  const makeBoth = async (sent: Record<string, string> = fields) => {
    await browser.open('/portal/new-api')
    return browser.send('/portal/new-api', sent)
  }
  const idOf = (text: string, name: string) =>
    new RegExp(`applications/([0-9a-f-]{36})[^"]*"><bdi>${name}<`).exec(text)?.[1] ?? ''

  const register = async (name: string, kind: string, query = '') => {
    await browser.open(`/portal/applications${query}`)
    const { location } = await browser.send('/portal/applications', { display_name: name, kind })
    return location ?? ''
  }

  it('creates an API and its client with one form, and shows the secret once', async () => {
    const { status, text } = await makeBoth()
    assert.equal(status, 200)
    assert.match(
      text,
      /“<bdi>Night job<\/bdi>” gets a token for “<bdi>Orders API<\/bdi>” with Read, Write/,
    )
    assert.match(text, /CLIENT_SECRET=\S{30}/)
    assert.deepEqual(
      [...text.matchAll(primary)].map(([, name]) => name),
      ['Request the token'],
    )
  })

  it('warns about an existing name, and accepts it when the form is sent again', async () => {
    const first = await makeBoth()
    assert.equal(first.status, 400)
    assert.match(first.text, /1 application already has the name “Orders API”/)
    const again = await browser.send('/portal/new-api', fields)
    assert.equal(again.status, 200, again.text)
    assert.match((await makeBoth()).text, /2 applications already have the name “Orders API”/)
    const renamed = await browser.send('/portal/new-api', { ...fields, api_name: 'Night job' })
    assert.match(renamed.text, /2 applications already have the name “Night job”/)
  })

  it('lists the completed steps if a step is refused', async () => {
    const sent = { ...fields, api_name: 'Stock API', client_name: 'x'.repeat(300) }
    const { status, text } = await makeBoth(sent)
    assert.equal(status, 400)
    assert.match(text, /Done: the API “Stock API” with its roles, its identifier URI\. Continue/)
    assert.ok(!(await browser.open('/portal/applications?search=xxx')).text.includes('xxxx'))
  })

  const name = `${'ש'.repeat(50)} 👩‍🚀 ${'a'.repeat(60)}`
  it('shows one next step on every page, from an API to a client without consent', async () => {
    const api = await register(name, 'api')
    const next = async (path: string) =>
      [...(await browser.open(path)).text.matchAll(primary)].map(([, one]) => one)
    assert.deepEqual(await next(api), ['Add app roles'])
    await browser.open(`${api}/roles`)
    await browser.send(`${api}/roles/add`, { value: 'A\nB' })
    for (const page of ['', '/roles', '/expose', '/assignments', '/manifest']) {
      assert.deepEqual(await next(`${api}${page}`), ['Register a client'], page)
    }
    const apiId = api.split('/').at(-1) ?? ''
    const [client = ''] = (await register('Day job', 'client', `?kind=client&for=${apiId}`)).split(
      '?',
    )
    await browser.open(`${client}?for=${apiId}`)
    for (const page of ['', '/credentials', '/permissions']) {
      const { text } = await browser.open(`${client}${page}`)
      assert.ok(text.includes(`<bdi>${name}</bdi>`), 'it remembers the API')
      assert.deepEqual(await next(`${client}${page}`), ['Request roles'], page)
    }
    const { text } = await browser.open(`${client}/permissions?api=${apiId}`)
    const boxes = [...text.matchAll(/name="(role:[^"]+)"/g)].map(([, box = '']) => [box, 'yes'])
    await browser.send(`${client}/permissions/request`, Object.fromEntries(boxes))
    assert.deepEqual(await next(client), ['Grant admin consent'])
    const asked = await browser.open(api)
    assert.match(
      asked.text,
      /Day job<\/bdi>[\s\S]*<code>A, B<\/code> <form[^>]*permissions\/consent/,
    )
    await browser.send(`${client}/permissions/consent`, { api: apiId })
    assert.deepEqual(await next(client), ['New client secret'])
    const form = 'action="[^"]*/credentials/secrets"'
    assert.match((await browser.open(client)).text, new RegExp(form))
    for (const page of ['/portal', '/portal/token']) {
      const query = new URLSearchParams({ client: client.split('/').at(-1) ?? '', api: apiId })
      const { text } = await browser.open(`${page}?${query}`)
      assert.match(text, /credentials">New client secret<\/a>/, page)
      assert.doesNotMatch(text, new RegExp(form), page)
    }
    assert.equal(idOf((await browser.open(api)).text, 'Day job'), client.split('/').at(-1))
  })

  // The back button shows the form as it was, with its hidden fields.
  for (const [change, page, action, sent] of [
    ['a new secret', '/credentials', '/credentials/secrets', { days: '30' }],
    ['a new role', '/roles', '/roles/add', { value: 'Once' }],
    ['a new name', '', '/rename', { display_name: 'Renamed' }],
  ] as const) {
    it(`makes the change "${change}" only once when the old form is sent again`, async () => {
      const [path = ''] = (await register(`Job with ${change}`, 'client')).split('?')
      const fields = hiddenFieldsOf((await browser.open(path + page)).text, path + action)
      const send = () => browser.post(path + action, new URLSearchParams({ ...fields, ...sent }))
      const rows = async () => (await browser.open(path + page)).text.match(/<tr>/g)?.length
      assert.ok((await send()).status < 400)
      const before = await rows()
      const again = await send()
      assert.equal(again.status, 412)
      assert.match(again.text, /Open the page again to see the current state/)
      assert.equal(await rows(), before)
    })
  }

  it('folds and marks the roles for server administration', async () => {
    const client = (await register('Fourth job', 'client')).split('?')[0] ?? ''
    const { text } = await browser.open(`${client}/permissions`)
    const [own = '', managing = ''] = text.split(
      '<details><summary><span class="mark bad">dangerous',
    )
    assert.match(own, /<code>Read<\/code>/)
    assert.match(managing, /Application\.ReadWrite\.All/)
    assert.doesNotMatch(own, /Application\.ReadWrite\.All/)
  })
})
