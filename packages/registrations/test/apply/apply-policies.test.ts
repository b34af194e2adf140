import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../fixtures/graph/graph-fixture.ts'
import type { Json } from '../../../../fixtures/graph/graph-tenant.ts'
import { type Issued, issuedCertificate } from '../../../../fixtures/issued-certificate.ts'
import { readExplained, readWholeDirectory } from '../../src/apply/index.ts'
import { defaultPolicyOf } from '../../src/apply/read-policies.ts'
import { explain, exportRegistrations, locateById } from '../../src/planning/index.ts'
import { sampleFile } from '../samples.ts'

const kinds = (changes: readonly { readonly kind: string }[]) => changes.map(({ kind }) => kind)

const lifetime = (days: number) => ({
  passwordCredentials: [{ restrictionType: 'passwordLifetime', maxLifetime: `P${days}D` }],
})
const noSecrets = { passwordCredentials: [{ restrictionType: 'passwordAddition' }] }

type Members = { policies?: Json; api?: Json; client?: Json }

/** The sample file, with policies and with members of its API and its client. */
function fileWith({ policies, api, client }: Members): Json {
  const { apis, clients, ...sample } = sampleFile()
  return {
    ...sample,
    ...(policies && { policies }),
    apis: [{ ...apis[0], ...api }],
    clients: [{ ...clients[0], ...client }],
  }
}

const exempt = { displayName: 'Exempt', restrictions: lifetime(365) }
const short = { displayName: 'Short tokens', accessTokenLifetime: '00:10:00' }
const policies = {
  defaultAppManagementPolicy: { applicationRestrictions: noSecrets },
  appManagementPolicies: [exempt],
  tokenLifetimePolicies: [short],
}
const whole = {
  policies,
  api: { tokenLifetimePolicy: 'Short tokens' },
  client: { appManagementPolicy: 'Exempt' },
}

/** Applies a file, and finds that nothing is left to do. */
async function apply(fixture: GraphFixture, file: unknown): Promise<string[]> {
  const { done, stopped } = await fixture.apply(file)
  assert.equal(stopped, undefined)
  assert.deepEqual(kinds((await fixture.plan(file)).changes), [])
  return kinds(done).filter((kind) => kind.endsWith('Policy'))
}

async function exported(fixture: GraphFixture): Promise<Json> {
  const state = await readWholeDirectory(fixture.graph, fixture.tenant.administrator.TENANT_ID)
  return exportRegistrations(state).file
}

/** Takes the roles for policies from the administrator, whose next token lacks them. */
async function withoutPolicyRoles(): Promise<GraphFixture> {
  const fixture = await GraphFixture.start()
  const { tenant } = fixture
  const list = async (path: string) => (await tenant.send<{ value: Json[] }>('GET', path)).value
  const filter = `?$filter=appId eq '${tenant.administrator.CLIENT_ID}'`
  const [administrator] = await list(`/servicePrincipals${filter}`)
  const [graph = {}] = await list("/servicePrincipals?$filter=displayName eq 'Microsoft Graph'")
  const path = `/servicePrincipals/${administrator?.id}/appRoleAssignments`
  for (const { id, appRoleId } of await list(`${path}?$top=100`)) {
    const role = (graph.appRoles as Json[]).find((one) => one.id === appRoleId)
    if (String(role?.value).startsWith('Policy.')) await tenant.send('DELETE', `${path}/${id}`)
  }
  return fixture
}

describe('applying a file with policies', () => {
  it('creates, changes, assigns, unassigns and deletes them', async () => {
    const fixture = await GraphFixture.start()
    const rows: [Members, string[]][] = [
      [whole, ['setPolicy', 'setPolicy', 'setPolicy', 'assignPolicy', 'assignPolicy']],
      [{ policies: {} }, []],
      [
        {
          policies: {
            defaultAppManagementPolicy: { applicationRestrictions: lifetime(400) },
            appManagementPolicies: [{ ...exempt, description: 'Old', restrictions: lifetime(300) }],
            tokenLifetimePolicies: [{ ...short, accessTokenLifetime: '1.00:00:00' }],
          },
        },
        ['setPolicy', 'setPolicy', 'setPolicy'],
      ],
      [{ policies: { appManagementPolicies: [exempt] } }, ['setPolicy']],
      [{ client: { appManagementPolicy: null, tokenLifetimePolicy: null } }, ['assignPolicy']],
      [{ api: { tokenLifetimePolicy: null, requestedAccessTokenVersion: 2 } }, ['assignPolicy']],
      [
        { policies: { appManagementPolicies: [], tokenLifetimePolicies: [] } },
        ['deletePolicy', 'deletePolicy'],
      ],
      [{ policies: { defaultAppManagementPolicy: { isEnabled: false } } }, ['setPolicy']],
    ]
    for (const [members, expected] of rows)
      assert.deepEqual(await apply(fixture, fileWith(members)), expected)
    assert.equal(fixture.secrets.length, 1)
  })

  it('moves an application from one policy to another, and deletes the first', async () => {
    const fixture = await GraphFixture.start()
    await apply(fixture, fileWith(whole))
    const other = { displayName: 'Other', restrictions: {} }
    const moved = {
      policies: { appManagementPolicies: [other] },
      client: { appManagementPolicy: 'Other' },
    }
    const expected = ['setPolicy', 'assignPolicy', 'deletePolicy']
    assert.deepEqual(await apply(fixture, fileWith(moved)), expected)
  })

  it('is what the exported file has, in the same and in another tenant', async () => {
    const fixture = await GraphFixture.start()
    await apply(fixture, fileWith(whole))
    const file = await exported(fixture)
    assert.deepEqual(file.policies, {
      defaultAppManagementPolicy: {
        isEnabled: true,
        applicationRestrictions: {
          passwordCredentials: [{ restrictionType: 'passwordAddition', state: 'enabled' }],
        },
      },
      appManagementPolicies: [
        {
          displayName: 'Exempt',
          isEnabled: true,
          restrictions: {
            passwordCredentials: [
              { restrictionType: 'passwordLifetime', state: 'enabled', maxLifetime: 'P365D' },
            ],
          },
        },
      ],
      tokenLifetimePolicies: [{ ...short, isOrganizationDefault: false }],
    })
    const entries = [...(file.apis as Json[]), ...(file.clients as Json[])]
    const named = (name: string) => entries.find(({ displayName }) => displayName === name)
    assert.equal(named('Greeting API')?.tokenLifetimePolicy, 'Short tokens')
    assert.equal(named('Greeting client')?.appManagementPolicy, 'Exempt')
    assert.deepEqual(kinds((await fixture.plan(file)).changes), [])
    const other = await GraphFixture.start()
    await apply(other, { policies: file.policies })
    assert.deepEqual((await exported(other)).policies, file.policies)
  })

  it('is refused by the plan in the words in which the directory refuses it', async () => {
    const fixture = await GraphFixture.start()
    const { tenant } = fixture
    await tenant.send('PATCH', '/policies/defaultAppManagementPolicy', {
      isEnabled: true,
      applicationRestrictions: noSecrets,
    })
    const { faults, changes } = await fixture.plan(sampleFile())
    assert.deepEqual(changes, [])
    const { id } = await tenant.send('POST', '/applications', { displayName: 'Any' })
    const adding = tenant.send('POST', `/applications/${id}/addPassword`, {})
    const said = await adding.catch((error: Error) => error.message)
    const { code, message } = JSON.parse(String(said).slice(String(said).indexOf('{'))).error
    assert.deepEqual(faults, [
      `The policy "default app management policy" refuses the secret "primary" of "Greeting client" with ${code}: ${message}`,
    ])
  })

  it('is refused by the plan for a certificate of another authority than the trusted ones', async () => {
    const fixture = await GraphFixture.start()
    const root = await issuedCertificate('Root')
    const { tenant } = fixture
    const list = await tenant.send(
      'POST',
      '/directory/certificateAuthorities/certificateBasedApplicationConfigurations',
      {
        displayName: 'Ours',
        trustedCertificateAuthorities: [{ isRootAuthority: true, certificate: root.base64 }],
      },
    )
    const restriction = {
      restrictionType: 'trustedCertificateAuthority',
      certificateBasedApplicationConfigurationIds: [list.id],
    }
    const path = '/policies/defaultAppManagementPolicy'
    const applicationRestrictions = { keyCredentials: [restriction] }
    const certificates = [{ displayName: 'Job', path: 'job.pem' }]
    const file = fileWith({ client: { certificates } })
    const certificateOf = async (issuer?: Issued) => {
      const { base64: der } = await issuedCertificate('Job', issuer, false)
      const period = { startDateTime: new Date('2026-01-01'), endDateTime: new Date('2030-01-01') }
      return new Map([['job.pem', { displayName: 'Job', der, sha1Thumbprint: '00', ...period }]])
    }
    const policies = { defaultAppManagementPolicy: { applicationRestrictions } }
    const untrusted = { certificates: await certificateOf() }
    const byFile = await fixture.plan({ ...file, policies }, untrusted)
    await tenant.send('PATCH', path, { isEnabled: true, applicationRestrictions })
    const { faults } = await fixture.plan(file, untrusted)
    assert.deepEqual(byFile.faults, faults)
    assert.deepEqual(faults, [
      'The policy "default app management policy" refuses the certificate "Job" of "Greeting client" with CredentialTypeNotAllowedAsPerAppPolicy: Credential not issued by a trusted certificate authority as per assigned policy \'00000000-0000-0000-0000-000000000000\'.',
    ])
    const trusted = await certificateOf(root)
    const plan = await fixture.plan(file, { certificates: trusted })
    assert.deepEqual([plan.faults, plan.ifApplied.join().includes('authorities')], [[], false])
    const elsewhere = await fixture.plan(file, {
      certificates: trusted,
      policy: defaultPolicyOf({ isEnabled: true, applicationRestrictions }),
    })
    assert.deepEqual(elsewhere.faults, [])
    assert.match(elsewhere.ifApplied.join(), /trusted authorities, which cannot be read/)
  })

  it('is what an explanation names, without a search for all objects of a policy', async () => {
    const fixture = await GraphFixture.start()
    await apply(fixture, fileWith(whole))
    const { tenant } = fixture
    const [api, client] = (await tenant.applications()).map(({ appId }) => String(appId))
    assert.ok(api && client)
    tenant.lines.length = 0
    const asked = { clientId: client, apiIds: [api], now: fixture.now() }
    const state = await readExplained(fixture.graph, tenant.administrator.TENANT_ID, asked)
    assert.ok(!tenant.lines.some((line) => line.endsWith('appliesTo')))
    const { steps } = explain(state, locateById(state, client), locateById(state, api), asked.now)
    assert.match(String(steps[0]?.detail), /policy "Short tokens": 00:10:00$/)
    assert.match(String(steps[5]?.detail), /policy "Exempt" permits secrets of at most 365 days$/)
    const mapping = await tenant.send('POST', '/policies/claimsMappingPolicies', {
      displayName: 'Mapped',
      definition: ['{"ClaimsMappingPolicy":{"Version":1}}'],
    })
    const mapped = `/servicePrincipals(appId='${api}')/claimsMappingPolicies/$ref`
    await tenant.send('POST', mapped, { '@odata.id': `/claimsMappingPolicies/${mapping.id}` })
    const after = await readExplained(fixture.graph, tenant.administrator.TENANT_ID, asked)
    const { refusal } = explain(after, locateById(after, client), locateById(after, api), asked.now)
    assert.equal(refusal?.aadstsCode, 50146)
  })

  it('needs the role only if the file has policies', async () => {
    const fixture = await withoutPolicyRoles()
    assert.deepEqual(await apply(fixture, sampleFile()), [])
    for (const members of [{ policies: {} }, { client: { appManagementPolicy: null } }])
      await assert.rejects(fixture.plan(fileWith(members)), {
        code: 'role_missing',
        message: /Policy\.ReadWrite\.ApplicationConfiguration/,
      })
  })

  it('reads three objects more if the file has none', async () => {
    const fixture = await GraphFixture.start()
    await fixture.apply(sampleFile())
    fixture.tenant.lines.length = 0
    await fixture.plan(sampleFile())
    assert.deepEqual(
      fixture.tenant.lines.filter((line) => /polic|organization/i.test(line)).toSorted(),
      [
        'GET /organization',
        'GET /policies/appManagementPolicies',
        'GET /policies/defaultAppManagementPolicy',
      ],
    )
  })

  const uris: readonly (readonly [api: object, isRefused: boolean])[] = [
    [{ identifierUris: ['api://orders'] }, true],
    [{ identifierUris: ['api://orders'], requestedAccessTokenVersion: 2 }, false],
    [{ identifierUris: ['https://else.example/orders'] }, true],
    [{ identifierUris: ['api://{applicationId}/orders'] }, false],
  ]
  for (const [api, isRefused] of uris)
    it(`judges ${JSON.stringify(api)} as the directory does (entra E148)`, async () => {
      const fixture = await GraphFixture.start()
      const file = { ...sampleFile(), apis: [{ ...sampleFile().apis[0], ...api }] }
      const { faults } = await fixture.plan(file)
      assert.equal(faults.length, isRefused ? 1 : 0)
      if (isRefused) assert.match(String(faults), /InvalidUniqueTenantIdentifierAsPerAppPolicy/)
      else assert.equal((await fixture.apply(file)).stopped, undefined)
    })

  it('judges the names of an application for SAML as the directory does', async () => {
    const fixture = await GraphFixture.start()
    await fixture.apply(sampleFile())
    const [api] = sampleFile().apis
    const named = { ...sampleFile(), apis: [{ ...api, identifierUris: ['api://orders'] }] }
    assert.equal((await fixture.plan(named)).faults.length, 1)
    const filter = "displayName eq 'Greeting API'"
    const path = `/servicePrincipals?$filter=${filter}`
    const { value } = (await fixture.tenant.send('GET', path)) as { value: { id: string }[] }
    const mode = { preferredSingleSignOnMode: 'saml' }
    await fixture.tenant.send('PATCH', `/servicePrincipals/${value[0]?.id}`, mode)
    assert.deepEqual((await fixture.plan(named)).faults, [])
  })
})
