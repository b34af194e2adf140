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
const managed = { id: z.string(), displayName: z.string(), isEnabled: z.boolean() }
const appManagementPolicy = z.object({ ...managed, restrictions })
const defaultPolicy = z.object({
  ...managed,
  applicationRestrictions: restrictions,
  servicePrincipalRestrictions: restrictions,
})
const tokenPolicy = z.object({
  id: z.string(),
  displayName: z.string(),
  definition: z.array(z.string()),
  isOrganizationDefault: z.boolean(),
})

/** A policy as pages show it. */
export type PolicyView = {
  readonly id: string
  readonly displayName: string
  /** The segment of its paths in Microsoft Graph. */
  readonly set: string
  readonly isDefault: boolean
  readonly rules: string
}

const day = 86_400
const durationPattern = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

function daysOf(duration: string): number {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = durationPattern.exec(duration) ?? []
  return (
    Number(days) + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / day || Infinity
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

const rulesOf = ({ passwordCredentials, keyCredentials }: z.output<typeof restrictions>) =>
  [...passwordCredentials, ...keyCredentials]
    .filter(({ state }) => state !== 'disabled')
    .map(({ restrictionType: type, maxLifetime }) => {
      const max = maxLifetime ? daysText(daysOf(maxLifetime)) : ''
      return words[type]?.(max) ?? type
    })
    .join(', ')

const managedView = (one: z.output<typeof appManagementPolicy>, isDefault = false): PolicyView => ({
  ...one,
  set: 'appManagementPolicies',
  isDefault,
  rules: (one.isEnabled && rulesOf(one.restrictions)) || 'nothing: it is disabled or empty',
})

const tokenView = (one: z.output<typeof tokenPolicy>, set: string): PolicyView => {
  const lifetime = /"AccessTokenLifetime"\s*:\s*"([^"]*)"/.exec(one.definition[0] ?? '')?.[1]
  const isOfLifetimes = set === 'tokenLifetimePolicies'
  const rules = lifetime ? `tokens that live ${lifetime}` : 'tokens of the usual lifetime'
  return {
    ...one,
    set,
    isDefault: one.isOrganizationDefault,
    rules: isOfLifetimes ? rules : 'kept only: tokens of this server have no mapped claims',
  }
}

/** The default app management policy, with its restrictions of both kinds of objects. */
export const readDefaultPolicy = ({ graph }: AdministratorRequest) =>
  graph.get('/policies/defaultAppManagementPolicy', defaultPolicy)

/** The policies of the tenant, or those that are assigned to one object. */
export async function readPolicies(
  { graph }: AdministratorRequest,
  of = '/policies',
): Promise<readonly PolicyView[]> {
  const tokens = async (set: string) =>
    (await graph.list(`${of}/${set}`, tokenPolicy)).map((one) => tokenView(one, set))
  const isOfApplication = of.startsWith('/applications')
  const [ofObjects, ...ofTokens] = await Promise.all([
    graph.list(`${of}/appManagementPolicies`, appManagementPolicy),
    tokens('tokenLifetimePolicies'),
    isOfApplication ? [] : tokens('claimsMappingPolicies'),
  ])
  return [...ofObjects.map((one) => managedView(one)), ...ofTokens.flat()]
}

/** The policy of all objects without an assigned one. */
export const defaultView = async (request: AdministratorRequest): Promise<PolicyView> => {
  const { applicationRestrictions, ...one } = await readDefaultPolicy(request)
  return managedView({ ...one, restrictions: applicationRestrictions }, true)
}

/** What the policy of an application permits for its new secrets; undefined when it limits nothing. */
export type SecretLimit = { readonly policy: string; readonly maxDays: number }

export async function secretLimitOf(
  request: AdministratorRequest,
  { id, createdDateTime }: Pick<ApplicationView, 'id' | 'createdDateTime'>,
): Promise<SecretLimit | undefined> {
  const path = `/applications/${id}/appManagementPolicies`
  const [assigned] = await request.graph.list(path, appManagementPolicy)
  const byDefault = assigned ? undefined : await readDefaultPolicy(request)
  const { displayName: policy = '', isEnabled } = assigned ?? byDefault ?? {}
  const rules = assigned?.restrictions ?? byDefault?.applicationRestrictions
  if (!isEnabled) return undefined
  const days = (rules?.passwordCredentials ?? [])
    .filter(({ state, restrictForAppsCreatedAfterDateTime: since }) => {
      const isOfApplication = !since || !createdDateTime || createdDateTime >= new Date(since)
      return state !== 'disabled' && isOfApplication
    })
    .flatMap(({ restrictionType: type, maxLifetime }) =>
      type === 'passwordAddition'
        ? 0
        : type === 'passwordLifetime'
          ? daysOf(maxLifetime ?? '')
          : [],
    )
  const maxDays = Math.min(...days)
  return Number.isFinite(maxDays) ? { policy, maxDays } : undefined
}
