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

describe('CL14: the registrations file page', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let token = ''
  before(async () => {
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
    const { clientId, clientSecret } = server.administrator
    const response = await fetch(`${server.provider.url}/${server.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        scope: 'https://graph.microsoft.com/.default',
      }),
    })
    token = ((await response.json()) as { access_token: string }).access_token
  })
  after(() => server?.[Symbol.asyncDispose]())

  const upload = async (text: string) => {
    const page = await browser.open('/portal/file')
    const body = new FormData()
    const { form_token = '' } = hiddenFieldsOf(page.text, '/portal/file/plan')
    body.set('form_token', form_token)
    body.set('file', new Blob([text], { type: 'application/json' }), 'registrations.json')
    return browser.post('/portal/file/plan', body)
  }

  const apply = (planned: string, file: string) => {
    const body = new FormData()
    const fields = hiddenFieldsOf(planned, '/portal/file/apply')
    for (const [field, value] of Object.entries({ ...fields, file, confirmed: 'yes' }))
      body.set(field, value)
    return browser.post('/portal/file/apply', body)
  }

  const graph = async (path: string, body: object) => {
    const response = await fetch(`${server.provider.url}/v1.0${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    assert.ok(response.ok, path)
    const text = await response.text()
    return (text === '' ? {} : JSON.parse(text)) as { readonly id: string; readonly appId: string }
  }
  const newPassword = { passwordCredential: { displayName: 'planted' } }
  const addOwner = async (owned: string) => {
    const { appId } = await graph('/applications', { displayName: 'Tool' })
    const { id } = await graph('/servicePrincipals', { appId })
    await graph(`${owned}/owners/$ref`, {
      '@odata.id': `${server.provider.url}/v1.0/x/directoryObjects/${id}`,
    })
  }
  const holds: [
    name: string,
    held: RegExp,
    plant: (app: string, principal: string) => Promise<unknown>,
  ][] = [
    [
      'a secret of the application',
      /with 1 secret of unknown origin/,
      (app) => graph(`/applications/${app}/addPassword`, newPassword),
    ],
    [
      'a secret of its service principal',
      /with 1 secret of its service principal of unknown origin/,
      (_, principal) => graph(`/servicePrincipals/${principal}/addPassword`, newPassword),
    ],
    [
      'an owner of the application',
      /with no credentials, owned by &quot;Tool&quot;/,
      (app) => addOwner(`/applications/${app}`),
    ],
    [
      'an owner of its service principal',
      /with no credentials, owned by &quot;Tool&quot;/,
      (_, principal) => addOwner(`/servicePrincipals/${principal}`),
    ],
  ]
  for (const [name, held, plant] of holds) {
    it(`refuses consent to an application with a client's name and ${name}`, async () => {
      const displayName = `Payroll with ${name}`
      const { id, appId } = await graph('/applications', { displayName })
      const principal = await graph('/servicePrincipals', { appId })
      const file = JSON.stringify({
        clients: [
          { displayName, permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }] },
        ],
        consents: [{ client: displayName, api: 'Greeting API' }],
      })
      const harmless = await upload(file)
      assert.match(harmless.text, /with no credentials and no other owner/)
      await plant(id, principal.id)
      const refused = await upload(file)
      assert.match(refused.text, /Admin consent for &quot;Payroll with [^&]+&quot; is refused/)
      assert.match(refused.text, held)
      assert.doesNotMatch(refused.text, /action="\/portal\/file\/apply"/)
      const applied = await apply(harmless.text, file)
      assert.match(applied.text, /The directory has changed[\s\S]*is refused/)
    })
  }

  it('applies a file with a blueprint and its agents', async () => {
    const file = JSON.stringify({
      blueprints: [
        {
          displayName: 'Helpers',
          sponsors: ['3f0f5d0e-6a1b-4f57-9b0a-0f7f4a2f9c01'],
          permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }],
          inherit: ['Greeting API'],
          agents: [{ displayName: 'Agent 1' }],
        },
      ],
      consents: [{ client: 'Helpers', api: 'Greeting API' }],
    })
    const planned = await upload(file)
    for (const line of [
      /agent &quot;Agent 1&quot; of &quot;Helpers&quot;/,
      /agents of &quot;Helpers&quot; inherit its roles of &quot;Greeting API&quot;/,
    ])
      assert.match(planned.text, line)
    const applied = await apply(planned.text, file)
    assert.match(applied.text, /Done: the directory matches the file/)
    assert.match((await upload(file)).text, /No changes: the directory matches the file/)
  })
})
