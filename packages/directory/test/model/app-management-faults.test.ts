import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid, policy, tenant } from '../../../../test/fixtures/directory/sample.ts'
import {
  appManagementFaults,
  type ManagedChange,
  type ManagedObject,
} from '../../src/model/app-management-faults.ts'
import { appManagementRows, durationMs } from '../../src/model/app-management-forms.ts'
import { defaultAppManagementPolicyId } from '../../src/model/policy.ts'
import type { Json } from '../../src/model/properties/inert-properties.ts'

const now = new Date('2026-06-01T00:00:00Z')
const appId = guid(0xa0)
const object: ManagedObject = { kind: 'application', appId, createdDateTime: now, tenant: tenant() }

const during = (days: number, more = {}) => [
  { startDateTime: now, endDateTime: new Date(Number(now) + days * 86_400_000), ...more },
]
const [secret, long] = [{ secrets: during(10) }, { secrets: during(31) }]
const custom = { secrets: during(10, { isCustom: true }) }
const longKey = {
  certificates: during(31).map((one) => ({ ...one, certificate: new Uint8Array() })),
}

const passwords = (restrictionType: string, more = {}) => ({
  passwordCredentials: [{ restrictionType, ...more }],
})
const lifetime = passwords('passwordLifetime', { maxLifetime: 'P30D' })
const keyLifetime = {
  keyCredentials: [{ restrictionType: 'asymmetricKeyLifetime', maxLifetime: 'P30D' }],
}
const onUris = (name: string, more = {}) => ({
  applicationRestrictions: { identifierUris: { [name]: { state: 'enabled', ...more } } },
})
const noCustomUri = onUris('nonDefaultUriAddition')
const withIdOnly = onUris('uriAdditionWithoutUniqueTenantIdentifier')
const onAudience = (name: string) => ({
  applicationRestrictions: { audiences: { [name]: { state: 'enabled' } } },
})
const uri = (...identifierUris: string[]) => ({ identifierUris })
const [single, multiple, personal] = [
  { signInAudience: 'AzureADMyOrg' },
  { signInAudience: 'AzureADMultipleOrgs' },
  { signInAudience: 'AzureADandPersonalMicrosoftAccount' },
] as const

const restrictionsOf = (given: object) =>
  appManagementRows.restrictions.body.parse(given) as unknown as Json
const codesOf = (restrictions: object, change: ManagedChange, part: Partial<ManagedObject> = {}) =>
  appManagementFaults(
    policy(1, { definition: restrictionsOf(restrictions) }),
    { ...object, ...part },
    change,
    now,
  ).map(({ code }) => code)

const tooLong = 'CredentialInvalidLifetimeAsPerAppPolicy'
const type = 'CredentialTypeNotAllowedAsPerAppPolicy'
const host = 'HostNameNotOnVerifiedDomain'
const withoutTenant = 'InvalidUniqueTenantIdentifierAsPerAppPolicy'
const audience = 'SignInAudienceNotAllowedAsPerAppPolicy'
const later = { restrictForAppsCreatedAfterDateTime: '2026-06-01T00:00:01Z' }
const sameTime = { restrictForAppsCreatedAfterDateTime: '2026-06-01T00:00:00Z' }
const principal = { kind: 'servicePrincipal' } as const

describe('violations of an app management policy', () => {
  const rows: readonly [object, ManagedChange, Partial<ManagedObject>, readonly string[]][] = [
    [{}, { ...long, ...longKey, ...uri('api://x'), ...personal }, {}, []],
    [passwords('passwordAddition'), secret, {}, [type]],
    [passwords('passwordAddition'), { ...longKey, secrets: [] }, {}, []],
    [passwords('customPasswordAddition'), secret, {}, []],
    [passwords('customPasswordAddition'), custom, {}, [type]],
    [passwords('symmetricKeyAddition'), secret, {}, []],
    [lifetime, { secrets: during(30) }, {}, []],
    [lifetime, long, {}, [tooLong]],
    [lifetime, long, principal, [tooLong]],
    [lifetime, longKey, {}, []],
    [keyLifetime, longKey, {}, [tooLong]],
    [keyLifetime, long, {}, []],
    [passwords('passwordAddition', { state: 'disabled' }), secret, {}, []],
    [passwords('passwordAddition', later), secret, {}, []],
    [passwords('passwordAddition', sameTime), secret, {}, [type]],
    [passwords('passwordAddition', sameTime), secret, { createdDateTime: undefined }, [type]],
    [noCustomUri, uri(`api://${appId}`, `api://${guid(1)}/${appId}`), {}, []],
    [noCustomUri, uri(`api://${guid(1)}/orders`), {}, [host]],
    [noCustomUri, uri(`api://${guid(1)}/orders`), principal, []],
    [noCustomUri, uri('api://x'), { requestedAccessTokenVersion: 2 }, [host]],
    [
      onUris('nonDefaultUriAddition', { excludeAppsReceivingV2Tokens: true }),
      uri('api://x'),
      { requestedAccessTokenVersion: 2 },
      [],
    ],
    [withIdOnly, uri(`api://${guid(1)}/orders`, 'https://contoso.example/x'), {}, []],
    [withIdOnly, uri('http://localhost:3000'), {}, []],
    [withIdOnly, uri('api://x'), {}, [withoutTenant]],
    [withIdOnly, uri('api://x'), { requestedAccessTokenVersion: 2 }, [withoutTenant]],
    [{}, uri('https://x.example'), {}, [host]],
    [{}, uri('https://x.example'), { requestedAccessTokenVersion: 2 }, []],
    [{}, uri('https://x.example'), { isOfSaml: true }, []],
    [{}, uri(`api://${guid(0xb0)}`), { requestedAccessTokenVersion: 2 }, [host]],
    [
      onUris('nonDefaultUriAddition', { excludeSaml: true }),
      uri('api://x'),
      { isOfSaml: true },
      [],
    ],
    [noCustomUri, uri('api://x'), { isOfSaml: true }, [host]],
    [onAudience('azureAdMultipleOrgs'), single, {}, []],
    [onAudience('azureAdMultipleOrgs'), multiple, {}, [audience]],
    [onAudience('personalMicrosoftAccount'), multiple, {}, []],
    [onAudience('personalMicrosoftAccount'), personal, {}, [audience]],
  ]
  for (const [restrictions, change, part, expected] of rows) {
    const texts = [restrictions, change, part].map((one) => JSON.stringify(one))
    it(`are ${expected.join() || 'none'} for ${texts.join(' ')}`, () =>
      assert.deepEqual(codesOf(restrictions, change, part), expected))
  }

  it('have the message and the details of Entra ID (entra E221)', () => {
    const one = policy(1, { definition: restrictionsOf(lifetime) })
    const message = `Credential lifetime exceeds the max value allowed as per assigned policy '${one.id}'.`
    assert.deepEqual(appManagementFaults(one, object, long, now), [
      {
        code: tooLong,
        message,
        details: [{ code: 'InvalidKeyEndDate', target: 'EndDate', message }],
        policyId: one.id,
      },
    ])
  })

  it('do not exist without a policy, nor with a disabled policy', () => {
    const disabled = policy(1, { isEnabled: false, definition: restrictionsOf(lifetime) })
    for (const one of [undefined, disabled])
      assert.deepEqual(appManagementFaults(one, object, long, now), [])
  })

  it('by the default policy differ for applications and service principals', () => {
    const { applicationRestrictions: onOne, servicePrincipalRestrictions: onOther } =
      appManagementRows
    const definition = {
      applicationRestrictions: onOne.body.parse(lifetime),
      servicePrincipalRestrictions: onOther.body.parse(passwords('passwordAddition')),
    } as unknown as Json
    const one = policy(1, { id: defaultAppManagementPolicyId, definition })
    const codes = (['application', 'servicePrincipal'] as const).map(
      (kind) => appManagementFaults(one, { ...object, kind }, long, now)[0]?.code,
    )
    assert.deepEqual(codes, [tooLong, type])
  })
})

describe('the schema of restrictions', () => {
  const refused = [
    passwords('other'),
    passwords('passwordLifetime'),
    passwords('passwordLifetime', { maxLifetime: 'P1Y' }),
    passwords('passwordAddition', { maxLifetime: 'P1D' }),
    passwords('passwordAddition', { state: 'on' }),
    passwords('passwordAddition', { restrictForAppsCreatedAfterDateTime: 'today' }),
    passwords('passwordAddition', { other: 1 }),
    { passwordCredentials: [...lifetime.passwordCredentials, ...lifetime.passwordCredentials] },
    { passwordCredentials: Array.from({ length: 11 }, () => ({})) },
    { keyCredentials: lifetime.passwordCredentials },
    onUris('other'),
    { other: [] },
  ]
  for (const one of refused)
    it(`refuses ${JSON.stringify(one).slice(0, 120)}`, () =>
      assert.equal(appManagementRows.restrictions.body.safeParse(one).success, false))
})

describe('a duration', () => {
  const hour = 3_600_000
  const rows = [
    ['P4DT12H30M5S', 108 * hour + 1_805_000],
    ['P90D', 2160 * hour],
    ['PT1H', hour],
    ...['', 'P', 'PT', 'P1DT', 'P0D', '-P1D', 'P1Y', 'P1W', '1D', 'P1234567D', ' P1D'].map(
      (text) => [text, undefined] as const,
    ),
  ] as const
  for (const [text, expected] of rows)
    it(`of '${text}' is ${expected ?? 'invalid'}`, () => assert.equal(durationMs(text), expected))
})
