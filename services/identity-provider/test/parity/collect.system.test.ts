import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseEnv } from 'node:util'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { startHere } from '../provider-here.ts'
import { collect, questions, shapeOf } from './collect.ts'

describe('the collection of responses from a tenant', () => {
  it('only reads, except for one application that it later deletes', () => {
    assert.deepEqual(
      questions
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`),
      [
        'POST /v1.0/applications',
        'DELETE /v1.0/applications/{appv}',
        'DELETE /v1.0/directory/deletedItems/{appv}',
      ],
    )
  })

  it('contains no secret, token or ID from an identity provider over HTTPS, and leaves no application', async () => {
    const folder = freshFolder()
    const provider = await startHere({ DATA_DIR: folder, HTTPS_PORT: '0', REGISTRATIONS: '' })
    const authorities = getCACertificates()
    try {
      const authority = await readFile(join(folder, 'tls/authority.pem'), 'utf8')
      setDefaultCACertificates([...authorities, authority])
      const admin = parseEnv(await readFile(join(folder, 'administrator.env'), 'utf8'))
      const url = String(provider.httpsUrl)
      const collected = await collect({
        authUrl: url,
        graphUrl: url,
        tenantId: String(admin.TENANT_ID),
        clientId: String(admin.CLIENT_ID),
        clientSecret: String(admin.CLIENT_SECRET),
      })
      const text = JSON.stringify(collected)
      assert.equal(collected.length, questions.length)
      assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}|eyJ|:\/\//)
      assert.ok(!text.includes(String(admin.CLIENT_SECRET)))
      assert.deepEqual(
        collected.slice(-2).map(({ status }) => status),
        [204, 204],
      )
    } finally {
      setDefaultCACertificates(authorities)
      await provider.stop()
    }
  })

  const hostileTenant = {
    authUrl: 'https://login.example',
    graphUrl: 'https://graph.example',
    tenantId: 'contoso',
    clientId: 'job',
    clientSecret: 'LettersOnly',
  }

  it('is discarded when a response has the secret as a member name', async () => {
    const send = async () => Response.json({ access_token: 'a.token', LettersOnly: 1 })
    await assert.rejects(collect(hostileTenant, send), /nothing was kept/)
  })

  it('deletes its application even if a response cannot be read', async () => {
    const sent: string[] = []
    const send = async (url: unknown, init?: RequestInit) => {
      sent.push(`${init?.method} ${url}`)
      if (init?.method === 'POST')
        return Response.json({ access_token: 'a.token', id: 'one', appId: 'two' }, { status: 201 })
      return new Response('{broken')
    }
    await collect(hostileTenant, send)
    assert.equal(sent.at(-2), 'DELETE https://graph.example/v1.0/applications/one')
  })

  const hostile: [string, unknown, unknown][] = [
    ['a secret as a value', { note: 'Zx8Q~secret' }, { note: 'string' }],
    ['a secret as a name', { 'Zx8Q~secret': 1 }, { '(another name)': 'number' }],
    ['an ID within a name', { extension_0a1b2c3d_x: 'a' }, { '(another name)': 'string' }],
    ['a long name', { ['a'.repeat(41)]: 'a' }, { '(another name)': 'string' }],
  ]
  for (const [name, response, shape] of hostile)
    it(`removes ${name}`, () => assert.deepEqual(shapeOf(response), shape))
})
