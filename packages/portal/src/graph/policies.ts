import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'
import type { ApplicationView } from './applications.ts'

const restriction = z.looseObject({
  restrictionType: z.string(),
  maxLifetime: z.string().nullish(),
  state: z.string().nullish(),
  restrictForAppsCreatedAfterDateTime: z.iso.datetime().nullish(),
})
const restrictions = z.object({
  passwordCredentials: z.array(restriction).default([]),
  keyCredentials: z.array(restriction).default([]),
})
export type Restrictions = z.output<typeof restrictions>

const policy = z.object({
  id: z.string(),
  displayName: z.string(),
  isEnabled: z.boolean().default(true),
  isOrganizationDefault: z.boolean().default(false),
  definition: z.array(z.string()).default([]),
  restrictions: restrictions.optional(),
})
const defaultPolicy = policy.extend({
  applicationRestrictions: restrictions,
  servicePrincipalRestrictions: restrictions,
})

/** The kinds of policies, by the segment of their paths in Microsoft Graph. */
export const policySets = {
  appManagementPolicies: 'app management',
  tokenLifetimePolicies: 'token lifetime',
  claimsMappingPolicies: 'claims mapping',
} as const
type PolicySet = keyof typeof policySets

/** A policy as pages show it. */
export type PolicyView = {
  readonly id: string
  readonly displayName: string
  readonly set: PolicySet
  readonly isDefault: boolean
  readonly rules: string
  /** The longest lifetime of new secrets: 0 when it permits none, and infinite without a limit. */
  readonly maxSecretDays: number
}

const durationPattern = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

function daysOf(duration: string): number {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = durationPattern.exec(duration) ?? []
  return (
    Number(days) + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / 86_400 ||
    Infinity
  )
}

/** A number of days in words. */
export const daysText = (days: number) =>
  days === 1 ? '1 day' : `${Number.isInteger(days) ? days : days.toFixed(2)} days`

const words: Readonly<Record<string, (max: string) => string>> = {
  passwordAddition: () => 'no new secret',
  customPasswordAddition: () => 'no secret with a chosen value',
  passwordLifetime: (max) => `secrets of at most ${max}`,
  asymmetricKeyLifetime: (max) => `certificates of at most ${max}`,
}

/** The rules of a policy that does not limit credentials. */
export const noLimit = 'all credentials'

const lifetimePattern = /"AccessTokenLifetime"\s*:\s*"([^"]*)"/

/** @param created when the application was created to which it applies; default: at any time */
function viewOf(one: z.output<typeof policy>, set: PolicySet, created?: Date | null): PolicyView {
  const { isEnabled, isOrganizationDefault: isDefault, definition } = one
  const { passwordCredentials = [], keyCredentials = [] } = one.restrictions ?? {}
  const limits = [...passwordCredentials, ...keyCredentials].filter(
    ({ state, restrictForAppsCreatedAfterDateTime: since }) =>
      isEnabled && state !== 'disabled' && (!since || !created || created >= new Date(since)),
  )
  const days = limits.flatMap(({ restrictionType: type, maxLifetime }) => {
    if (type === 'passwordAddition') return 0
    return type === 'passwordLifetime' ? daysOf(maxLifetime ?? '') : []
  })
  const texts = limits.map(({ restrictionType: type, maxLifetime }) => {
    return words[type]?.(daysText(daysOf(maxLifetime ?? ''))) ?? type
  })
  const lifetime = lifetimePattern.exec(definition[0] ?? '')?.[1]
  const rules = {
    appManagementPolicies: texts.join(', ') || noLimit,
    tokenLifetimePolicies: `tokens that live ${lifetime ?? 'as the server is set'}`,
    claimsMappingPolicies: 'tokens without mapped claims, if the API has acceptMappedClaims',
  }
  return { ...one, set, isDefault, rules: rules[set], maxSecretDays: Math.min(Infinity, ...days) }
}

/** The default app management policy, with its restrictions of both kinds of objects. */
export const readDefaultPolicy = ({ graph }: AdministratorRequest) =>
  graph.get('/policies/defaultAppManagementPolicy', defaultPolicy)

/** The policies of the tenant, or those that are assigned to one object. */
export async function readPolicies(
  { graph }: AdministratorRequest,
  of = '/policies',
): Promise<readonly PolicyView[]> {
  const isOfApplication = of.startsWith('/applications')
  const sets = (Object.keys(policySets) as PolicySet[]).filter(
    (set) => !isOfApplication || set !== 'claimsMappingPolicies',
  )
  const read = async (set: PolicySet) =>
    (await graph.list(`${of}/${set}`, policy)).map((one) => viewOf(one, set))
  return (await Promise.all(sets.map(read))).flat()
}

/** The policy of the credentials of an application; the default of the tenant without one. */
export async function credentialPolicy(
  request: AdministratorRequest,
  application?: Pick<ApplicationView, 'id' | 'createdDateTime'>,
): Promise<PolicyView> {
  const set = 'appManagementPolicies'
  const path = application && `/applications/${application.id}/${set}`
  const [assigned] = path ? await request.graph.list(path, policy) : []
  if (assigned) return viewOf(assigned, set, application?.createdDateTime)
  const { applicationRestrictions, ...byDefault } = await readDefaultPolicy(request)
  const one = { ...byDefault, restrictions: applicationRestrictions, isOrganizationDefault: true }
  return viewOf(one, set, application?.createdDateTime)
}
