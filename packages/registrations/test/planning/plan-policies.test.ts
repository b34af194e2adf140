import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { sampleFile } from '@greeting/registrations/samples'
import { defaultPolicyOf } from '../../src/apply/read-policies.ts'
import { locateById } from '../../src/planning/directory/locate.ts'
import { explain } from '../../src/planning/explain.ts'
import { exportRegistrations } from '../../src/planning/export.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import { diffOf } from '../../src/planning/plan-text.ts'
import type { Policy } from '../../src/policy-entries.ts'
import { confirmedIn, ids, now, sampleClient, sampleState } from './sample-state.ts'

const rule = (restrictionType: string, more = {}) => ({
  restrictionType,
  state: 'enabled',
  ...more,
})
const shortSecrets = { passwordCredentials: [rule('passwordLifetime', { maxLifetime: 'P90D' })] }
const noSecrets = { passwordCredentials: [rule('passwordAddition')] }
const strict = defaultPolicyOf({ isEnabled: true, applicationRestrictions: shortSecrets })
const untouched = defaultPolicyOf({ isEnabled: false })
const policyId = '22222222-2222-4222-8222-222222222222'
const named = (displayName: string, restrictions: object) => ({ displayName, restrictions })
const inDirectory = (displayName: string, definition: object) => ({
  ...untouched,
  id: policyId,
  displayName,
  isEnabled: true,
  isOrganizationDefault: false,
  definition: JSON.parse(JSON.stringify(definition)),
})
const short = { displayName: 'Short tokens', accessTokenLifetime: '00:10:00' }
const shortInDirectory = {
  ...inDirectory('Short tokens', [
    '{ "TokenLifetimePolicy": { "Version": 1, "AccessTokenLifetime": "00:10:00" } }',
  ]),
  id: '33333333-3333-4333-8333-333333333333',
  kind: 'tokenLifetime' as const,
}

type Objects = Readonly<Record<string, string[]>>
const known = (all: readonly Policy[], assigned: Objects = {}): Policy[] =>
  all.map((one) => ({
    ...one,
    appliesTo: Object.keys(assigned).filter((id) => assigned[id]?.includes(one.id)),
  }))

/** The sample file with policies, and with members of its only client. */
const fileWith = (policies?: object, client: object = {}, api: object = {}) => ({
  ...sampleFile(),
  ...(policies && { policies }),
  apis: [{ ...sampleFile().apis[0], ...api }],
  clients: [{ ...sampleFile().clients[0], ...client }],
})

function planOf(file: unknown, policies: readonly Policy[], state = sampleState(), more = {}) {
  const plan = planRegistrations({
    file: parseRegistrations(JSON.stringify(file)),
    state: { ...state, policies },
    now,
    confirmed: confirmedIn(state),
    ...more,
  })
  return [...plan.faults, ...plan.changes.flatMap((change) => diffOf(change))]
}

const withoutClient = sampleState({ client: null, clientPrincipal: null, assignments: [] })
const withoutSecret = sampleState({ client: { passwordCredentials: [] } })
const refused = (policy: string, code: string, message: string) =>
  `The policy "${policy}" refuses the secret "primary" of "Greeting client" with ${code}: ${message}`
const tooLong = refused(
  'default app management policy',
  'CredentialInvalidLifetimeAsPerAppPolicy',
  "Credential lifetime exceeds the max value allowed as per assigned policy '00000000-0000-0000-0000-000000000000'. Set its lifetimeDays to at most 90.",
)
const notAllowed = (id: string) =>
  refused(
    'No secrets',
    'CredentialTypeNotAllowedAsPerAppPolicy',
    `Credential type not allowed as per assigned policy '${id}'.`,
  )
const newSecret = '  + secret "primary" of "Greeting client", valid for 180 days'
const nonDefaultUris = {
  identifierUris: { nonDefaultUriAddition: { state: 'enabled' } },
}

const rows: [string, string[], unknown, Policy[], ReturnType<typeof sampleState>?][] = [
  ['nothing where the file names no policy', [], fileWith(), known([strict])],
  [
    'the default policy that a tenant gets',
    ['! ~ default app management policy: passwordLifetime P90D'],
    fileWith({ defaultAppManagementPolicy: { applicationRestrictions: shortSecrets } }),
    known([untouched]),
  ],
  [
    'nothing for a default policy with more than the file manages',
    [],
    fileWith({ defaultAppManagementPolicy: { applicationRestrictions: shortSecrets } }),
    known([
      defaultPolicyOf({
        isEnabled: true,
        applicationRestrictions: { ...shortSecrets, ...nonDefaultUris },
        servicePrincipalRestrictions: noSecrets,
      }),
    ]),
  ],
  [
    'new policies before what they restrict, and their assignments',
    [
      '  + app management policy "Long secrets": passwordLifetime P365D',
      '  + token lifetime policy "Short tokens": 00:10:00',
      '  + token lifetime policy "Short tokens" of "Greeting API"',
      '  + app management policy "Long secrets" of "Greeting client"',
    ],
    fileWith(
      {
        appManagementPolicies: [
          named('Long secrets', {
            passwordCredentials: [rule('passwordLifetime', { maxLifetime: 'P365D' })],
          }),
        ],
        tokenLifetimePolicies: [short],
      },
      { appManagementPolicy: 'Long secrets' },
      { tokenLifetimePolicy: 'Short tokens' },
    ),
    known([untouched]),
  ],
  [
    'the removal of a policy that a complete list omits',
    ['! - app management policy "Old"'],
    fileWith({ appManagementPolicies: [] }),
    known([inDirectory('Old', noSecrets)]),
  ],
  [
    'the end of an assignment',
    ['! - app management policy "Old" of "Greeting client"'],
    fileWith(undefined, { appManagementPolicy: null }),
    known([inDirectory('Old', shortSecrets)], { [ids.clientObject]: [policyId] }),
  ],
  [
    'a refusal of a new secret by the default policy',
    [tooLong],
    fileWith(),
    known([strict]),
    withoutSecret,
  ],
  [
    'a refusal by a policy of the same file',
    [notAllowed('No secrets')],
    fileWith(
      { appManagementPolicies: [named('No secrets', noSecrets)] },
      { appManagementPolicy: 'No secrets' },
    ),
    known([untouched]),
    withoutSecret,
  ],
  [
    'a refusal by a policy that the client has already',
    [notAllowed(policyId)],
    fileWith(),
    known([inDirectory('No secrets', noSecrets)], { [ids.clientObject]: [policyId] }),
    withoutSecret,
  ],
  [
    'no refusal of a client that gets a weaker policy of its own first',
    [
      '  + app management policy "Exempt": no restriction',
      '  + application "Greeting client"',
      '  + app management policy "Exempt" of "Greeting client"',
    ],
    {
      ...fileWith(
        { appManagementPolicies: [named('Exempt', {})] },
        { appManagementPolicy: 'Exempt', permissions: undefined },
      ),
      consents: undefined,
    },
    known([strict]),
    withoutClient,
  ],
  [
    'a refusal of an identifier URI',
    [
      'The policy "default app management policy" refuses the identifier URI api://orders.example of "Greeting API" with HostNameNotOnVerifiedDomain: The newly added URI api://orders.example must comply with the format \'api://{appId}\' or \'api://{tenantId}/{appId}\' as per the default app management policy of your organization. If the requestedAccessTokenVersion is set to 2, this restriction may not apply. See https://aka.ms/identifier-uri-addition-error for more information on this error.',
    ],
    fileWith(undefined, {}, { identifierUris: ['api://{applicationId}', 'api://orders.example'] }),
    known([defaultPolicyOf({ isEnabled: true, applicationRestrictions: nonDefaultUris })]),
  ],
  [
    'a name that no policy has',
    ['The policy "Lost" is not in the file and not in the tenant.'],
    fileWith(undefined, { appManagementPolicy: 'Lost' }),
    known([untouched]),
  ],
]

describe('a plan with policies has', () => {
  for (const [name, expected, file, policies, state] of rows)
    it(name, () => {
      const lines = planOf(file, policies, state)
      assert.deepEqual(
        lines.filter((line) => line !== newSecret && !/service principal/.test(line)),
        expected,
      )
    })

  it('all that a tenant elsewhere refuses, also where nothing changes here', () => {
    assert.deepEqual(planOf(fileWith(), known([untouched]), sampleState(), { policy: strict }), [
      tooLong,
    ])
    const exempt = fileWith(
      { appManagementPolicies: [named('Exempt', {})] },
      { appManagementPolicy: 'Exempt' },
    )
    const [, assigned] = planOf(exempt, known([untouched]), sampleState(), { policy: strict })
    assert.equal(assigned, '  + app management policy "Exempt" of "Greeting client"')
    const id = ids.api
    const ownUri = fileWith(undefined, {}, { applicationId: id, identifierUris: [`api://${id}`] })
    const uris = defaultPolicyOf({ isEnabled: true, applicationRestrictions: nonDefaultUris })
    assert.deepEqual(planOf(ownUri, known([untouched]), sampleState(), { policy: uris }), [])
    const lax = { policy: untouched }
    assert.deepEqual(planOf(fileWith(), known([untouched]), sampleState(), lax), [])
  })
})

describe('an explanation names the policy', () => {
  const detailsOf = (policies: Policy[], client: object = {}) => {
    const state = { ...sampleState({ client }), policies }
    const [one, other] = [locateById(state, ids.client), locateById(state, ids.api)]
    const { steps } = explain(state, one, other, now)
    return [steps[0]?.detail, steps[5]?.detail]
  }
  const uri = `api://${ids.api}`
  const secret = 'secret, valid until 2026-07-31'
  const noSecret = { passwordCredentials: [] }
  const both = {
    passwordCredentials: [shortSecrets, noSecrets].flatMap((one) => one.passwordCredentials),
  }
  it('of mapped claims that the API does not accept', () => {
    const explained = (api: object, mappedIds = [ids.apiPrincipal]) => {
      const state = { ...sampleState({ api }), mappedIds }
      return explain(state, locateById(state, ids.client), locateById(state, ids.api), now).refusal
    }
    assert.deepEqual(explained({}), {
      aadstsCode: 50146,
      reason: 'it has a claims mapping policy, and not acceptMappedClaims',
    })
    assert.equal(explained({ api: { acceptMappedClaims: true } }), undefined)
    assert.equal(explained({}, []), undefined)
  })

  const rows: [string, Policy[], object, string[]][] = [
    [
      'that limits new secrets',
      [strict],
      {},
      [uri, `${secret}; the default app management policy permits secrets of at most 90 days`],
    ],
    [
      'that is assigned, and forbids the secret that is missing',
      known([strict, inDirectory('Strict', both)], { [ids.clientObject]: [policyId] }),
      noSecret,
      [uri, 'it has no credential; the app management policy "Strict" permits no new secret'],
    ],
    ['of no object that is disabled', [untouched], {}, [uri, secret]],
    ...[ids.apiObject, ids.apiPrincipal].map((id): [string, Policy[], object, string[]] => [
      `of the lifetime of tokens, assigned to ${id}`,
      known([untouched, shortInDirectory], { [id]: [shortInDirectory.id] }),
      {},
      [
        `${uri}; tokens have the lifetime of the token lifetime policy "Short tokens": 00:10:00`,
        secret,
      ],
    ]),
    [
      'of the lifetime of all tokens',
      [{ ...shortInDirectory, isOrganizationDefault: true }],
      {},
      [
        `${uri}; tokens have the lifetime of the token lifetime policy "Short tokens": 00:10:00, for all APIs`,
        secret,
      ],
    ],
  ]
  for (const [name, policies, client, expected] of rows)
    it(name, () => assert.deepEqual(detailsOf(policies, client), expected))
})

describe('an exported file with policies', () => {
  const state = {
    ...sampleState({ client: { passwordCredentials: sampleClient.passwordCredentials } }),
    policies: known([strict, inDirectory('Old', shortSecrets), shortInDirectory], {
      [ids.clientObject]: [policyId],
    }),
  }

  it('has them all, and changes nothing in its own directory', () => {
    const { file } = exportRegistrations(state)
    assert.deepEqual(file.policies, {
      defaultAppManagementPolicy: {
        isEnabled: true,
        applicationRestrictions: shortSecrets,
      },
      appManagementPolicies: [{ ...named('Old', shortSecrets), isEnabled: true }],
      tokenLifetimePolicies: [{ ...short, isOrganizationDefault: false }],
    })
    assert.deepEqual(planOf(file, state.policies, state), [])
  })

  it('has only the names of policies if applications are chosen', () => {
    const { file } = exportRegistrations(state, { names: ['Greeting client'] })
    assert.equal(file.policies, undefined)
    assert.equal(JSON.stringify(file).includes('"appManagementPolicy":"Old"'), true)
  })
})
