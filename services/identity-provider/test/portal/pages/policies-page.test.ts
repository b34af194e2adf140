import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { type PortalBrowser, type PortalServer, startPortal } from '../portal-browser.ts'

type Assignment = { readonly id: string; readonly appRoleId: string }

const seed = join(import.meta.dirname, '../../registrations/sample.json')

describe('policies in the portal', () => {
  let server: PortalServer
  let browser: PortalBrowser
  let api: string
  let client: string
  before(async () => {
    const { apis, clients } = JSON.parse(await readFile(seed, 'utf8'))
    api = `/portal/applications/${apis[0].applicationId}`
    client = `/portal/applications/${clients[0].applicationId}`
    server = await startPortal({ registrations: seed })
    browser = await server.signedIn()
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
  })

  /** Sends a form of a page, and opens the page to which the answer leads. */
  async function change(page: string, action: string, fields: Record<string, string>) {
    await browser.open(page)
    const { location, text } = await browser.send(action, fields)
    return location === null ? text : (await browser.open(location)).text
  }

  /** Sends a request to Microsoft Graph as the administrator. */
  async function graph(method: string, path: string, body?: object) {
    const { tenantId, provider, administrator } = server
    const { clientId: client_id, clientSecret: client_secret } = administrator
    const scope = 'https://graph.microsoft.com/.default'
    const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
    const answer = await fetch(`${provider.url}/${tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const sent = await fetch(`${provider.url}/v1.0${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await sent.text()
    return (text === '' ? {} : JSON.parse(text)) as { id: string; value: Assignment[] }
  }

  it('limit secrets, and the form for a secret offers the longest permitted end', async () => {
    const page = '/portal/policies'
    assert.match((await browser.open(page)).text, /No policy limits the secrets.*Limit secrets/s)
    const limited = await change(page, `${page}/secrets`, { limit: 'P90D' })
    assert.match(
      limited,
      /The default policy permits: <strong>secrets of at most 90 days<\/strong>/,
    )
    const { text } = await browser.open(`${client}/credentials`)
    assert.match(text, /permits secrets of at most 90 days\./)
    assert.match(text, /<option value="90" selected>90 days<\/option><\/select>/)
    assert.match((await browser.open(client)).text, /: secrets of at most 90 days/)
    const form = `${client}/credentials/secrets`
    const refused = await change(`${client}/credentials`, form, { days: '180' })
    assert.match(
      refused,
      /Credential lifetime exceeds the max value allowed as per assigned policy/,
    )
    assert.match(refused, /permits secrets of at most 90 days\./)
    assert.match(await change(`${client}/credentials`, form, { days: '' }), /The secret was made/)
    const open = await change(page, `${page}/secrets`, { limit: '' })
    assert.match(open, /No policy limits the secrets/)
    const ofKeys = { keyCredentials: [{ restrictionType: 'trustedCertificateAuthority' }] }
    const policy = '/policies/defaultAppManagementPolicy'
    await graph('PATCH', policy, { isEnabled: true, applicationRestrictions: ofKeys })
    const { text: keysOnly } = await browser.open(page)
    assert.match(keysOnly, /certificates of trusted authorities only.*Limit secrets<\/a>/s)
    await graph('PATCH', policy, { applicationRestrictions: { keyCredentials: [] } })
  })

  it('forbid secrets, and the next step offers a certificate instead', async () => {
    const page = '/portal/policies'
    const strict = await change(page, `${page}/secrets`, { limit: 'none' })
    assert.match(strict, /The default policy permits: <strong>no new secret</)
    assert.match(strict, /<option value="none" selected>/)
    await browser.open('/portal/applications')
    const sent = { display_name: 'Strict job', kind: 'client' }
    const { location } = await browser.send('/portal/applications', sent)
    const { text } = await browser.open(location ?? '')
    assert.match(
      text,
      /it has no credential; the default app management policy permits no new secret/,
    )
    const next = `href="${location}/credentials#certificate">Add a certificate</a>`
    assert.ok(text.includes(next), text)
    assert.doesNotMatch(text, /New client secret/)
    const { text: credentials } = await browser.open(`${location}/credentials`)
    assert.match(credentials, /permits no new secret\.[\s\S]*<details id="certificate" open>/)
    assert.doesNotMatch(credentials, /name="days"/)
    await change(page, `${page}/secrets`, { limit: '' })
    assert.match((await browser.open(location ?? '')).text, /<button[^>]*>New client secret</)
  })

  it('are assigned to an application by name, and end by the choice of none', async () => {
    const passwordCredentials = [{ restrictionType: 'passwordLifetime', maxLifetime: 'P30D' }]
    const { id } = await graph('POST', '/policies/appManagementPolicies', {
      displayName: 'Short secrets',
      isEnabled: true,
      restrictions: { passwordCredentials },
    })
    const kind = 'appManagement'
    const assigned = await change(client, `${client}/policy`, { policy: id, kind })
    assert.match(assigned, />Short secrets<\/a>: secrets of at most 30 days/)
    await graph('PATCH', `/policies/appManagementPolicies/${id}`, {
      restrictions: {
        keyCredentials: [{ restrictionType: 'trustedCertificateAuthority' }],
        applicationRestrictions: {
          identifierUris: {
            nonDefaultUriAddition: {},
            uriAdditionWithoutUniqueTenantIdentifier: {},
          },
          audiences: { azureAdMultipleOrgs: {}, personalMicrosoftAccount: {} },
        },
      },
    })
    const words = [
      ['certificates of trusted authorities only', 'identifier URIs with the application ID only'],
      ['identifier URIs with a name of the tenant only', 'no new application for other tenants'],
      ['no new application for personal accounts'],
    ].flat()
    const { text } = await browser.open('/portal/policies')
    for (const one of words) assert.ok(text.includes(one), one)
    const ended = await change(client, `${client}/policy`, { policy: '', kind })
    assert.match(ended, />default app management policy<\/a>: no restriction/)
  })

  it('give an API its token lifetime, before the default of the tenant', async () => {
    const page = '/portal/policies'
    const kind = 'tokenLifetime'
    const made = { lifetime: '08:00:00', policy_name: 'Long', scope: 'assigned' }
    const all = { lifetime: '00:10:00', policy_name: 'Short', scope: 'all' }
    await change(page, `${page}/lifetime`, made)
    assert.match(
      await change(page, `${page}/lifetime`, all),
      /The tenant gives tokens that live 00:10:00/,
    )
    assert.match(
      (await browser.open(api)).text,
      />Short<\/a>: tokens that live 00:10:00, for all APIs/,
    )
    const [, long = ''] = /<option value="([^"]+)">Long</.exec(browser.seen) ?? []
    const assigned = await change(api, `${api}/policy`, { policy: long, kind })
    assert.match(assigned, />Long<\/a>: tokens that live 08:00:00/)
    assert.match(
      (await browser.open(`${page}?policy=${long}`)).text,
      /“<bdi>Long<\/bdi>” applies to/,
    )
    assert.match(browser.seen, new RegExp(`${api}".*service principal`))
    const removed = await change(api, `${api}/policy`, { policy: '', kind })
    assert.match(removed, />Short<\/a>: tokens that live 00:10:00, for all APIs/)
    const deleted = await change(page, `${page}/delete`, { id: long, kind })
    assert.doesNotMatch(deleted, />Long</)
  })

  it('are left out for an administrator of an earlier release, who lacks their roles', async () => {
    const principal = `/servicePrincipals(appId='${server.administrator.clientId}')`
    const assignments = `${principal}/appRoleAssignments`
    const { value } = await graph('GET', `${assignments}?$top=100`)
    const ofPolicies = ['Policy.Read.All', 'Policy.ReadWrite.ApplicationConfiguration'] as const
    const ids: string[] = ofPolicies.map((name) => graphRoles[name].id)
    for (const { id } of value.filter(({ appRoleId }) => ids.includes(appRoleId)))
      await graph('DELETE', `${assignments}/${id}`)
    for (const path of [client, `${client}/credentials`, api]) {
      const { status, text } = await browser.open(path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(text, />Policies<\/h2>/)
    }
    const { text } = await browser.open('/portal/policies')
    assert.match(text, /Insufficient privileges/)
  })
})
