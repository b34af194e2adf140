import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { role, withApi } from '../graph/applications/sample-api.ts'
import { contoso } from '../sample-graph.ts'

describe('the JSON body of a request', () => {
  const repeated: [name: string, body: string][] = [
    ['a member of the body', '{"displayName":"A","displayName":"B"}'],
    ['a member under another spelling', '{"displayName":"A","display\\u004eame":"B"}'],
    [
      'the value of a role',
      JSON.stringify({ appRoles: [role()] }).replace('"value"', '"value":"Admin","value"'),
    ],
    ['a member without a meaning', '{"notes":null,"notes":null}'],
  ]
  for (const [name, body] of repeated) {
    it(`is refused when it repeats ${name} (RFC 8259 section 4)`, async () => {
      const { admin, path, store } = await withApi()
      const before = (await wholeDirectory(store)).revision
      const reply = await admin.patch(path, body)
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error.code, 'BadRequest')
      assert.match(reply.body.error.message, /repeated in one object of the payload/)
      assert.equal((await wholeDirectory(store)).revision, before)
    })
  }

  const members = (count: number) =>
    Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')
  const large: readonly (readonly [name: string, body: string, limit: RegExp])[] = [
    ['101 properties', `{${members(101)}`, /An object .* more than 100 properties/],
    ['101 properties of a property', `{"web":{${members(101)}`, /more than 100 properties/],
    ['20001 entries', `{"tags":[${'"",'.repeat(20_001)}`, /more than 20000 properties and entries/],
    [
      '250 objects of 100 properties',
      `{"a":[${`{${members(100)}},`.repeat(250)}`,
      /more than 20000 properties and entries/,
    ],
    ['33 levels', `{"web":${'['.repeat(32)}`, /more than 32 levels/],
  ]
  for (const [name, body, limit] of large) {
    // These texts are not JSON: a parser would say so.
    it(`is refused before it is parsed when it has ${name} (AS38)`, async () => {
      const { admin, path } = await withApi()
      const reply = await admin.patch(path, body)
      assert.equal(reply.status, 400)
      assert.match(reply.body.error.message, limit)
    })
  }

  it('can have 1000 app roles with all members of a manifest', async () => {
    const { admin, path } = await withApi()
    const appRoles = Array.from({ length: 1000 }, (_, index) => ({
      ...role({ id: crypto.randomUUID(), value: `Role.${index}` }),
      lang: null,
      origin: 'Application',
    }))
    assert.equal((await admin.patch(path, { appRoles })).status, 204)
  })

  it('can have the same member in several objects', async () => {
    const { admin, path } = await withApi()
    const appRoles = [role(), role({ id: contoso.id, value: 'Other' })]
    assert.equal((await admin.patch(path, { appRoles })).status, 204)
  })

  it('is refused when it ends early, but is not reported as a server failure', async () => {
    const { admin, app, api, reports, refusals } = await withApi()
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"displayName"'))
        controller.error(new Error('aborted'))
      },
    })
    const response = await app.request(`/applications/${api.id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${contoso.id}:${admin.appId}`,
        'content-type': 'application/json',
      },
      body,
      duplex: 'half',
    } as RequestInit)
    assert.equal(response.status, 400)
    assert.deepEqual(reports, [])
    assert.equal(refusals.at(-1)?.reason, 'body_cut')
  })

  const sendCoded = async (coding: string, body: Uint8Array<ArrayBuffer>) => {
    const { admin, app, api } = await withApi()
    return app.request(`/applications/${api.id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${contoso.id}:${admin.appId}`,
        'content-type': 'application/json',
        'content-encoding': coding,
      },
      body,
    })
  }
  const json = (description: string) => Buffer.from(JSON.stringify({ description }))

  for (const { coding, body } of [
    { coding: 'gzip', body: gzipSync(json('by the SDK for Go')) },
    { coding: 'GZIP', body: gzipSync(json('by the SDK for Go')) },
    { coding: 'identity', body: json('by the SDK for Go') },
  ])
    it(`may have the content coding ${coding} (entra E180)`, async () => {
      assert.equal((await sendCoded(coding, body)).status, 204)
    })

  for (const { name, coding, body, status } of [
    { name: 'in another coding', coding: 'br', body: json('A'), status: 415 },
    { name: 'in two codings', coding: 'gzip, gzip', body: gzipSync(json('A')), status: 415 },
    { name: 'that is not gzip data', coding: 'gzip', body: json('A'), status: 400 },
    {
      name: 'above 1 MiB after decoding',
      coding: 'gzip',
      body: gzipSync(json('a'.repeat(1024 * 1024))),
      status: 413,
    },
  ])
    it(`is refused ${name}: ${status}`, async () => {
      assert.equal((await sendCoded(coding, body)).status, status)
    })
})
