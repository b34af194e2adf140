import { z } from 'zod'
import type { DirectoryState } from '../planning/directory/directory-state.ts'
import { plainJson } from '../planning/steps/plan-policies.ts'
import { defaultPolicy, fileKinds, type Policy, policyKinds } from '../policy-entries.ts'
import type { DirectoryReader } from './directory-reader.ts'
import { type Graph, GraphRefusalError, parseAnswer, writesPolicies } from './graph.ts'

const text = z.string().nullish()
const credentials = z.array(z.record(z.string(), z.json())).nullish()
const rules = z
  .looseObject({ passwordCredentials: credentials, keyCredentials: credentials })
  .catchall(z.json())
  .default({})
  .transform((all) => plainJson(all))

const policy = z.object({
  id: z.guid().toLowerCase(),
  displayName: text,
  description: text.transform((words) => words ?? null),
  isEnabled: z.boolean().default(true),
  isOrganizationDefault: z.boolean().default(false),
  definition: z.array(z.string()).optional(),
  restrictions: rules,
})

/** The default app management policy in the form of Microsoft Graph. */
export function defaultPolicyOf(body: unknown): Policy {
  const line = { method: 'GET', path: '/policies/defaultAppManagementPolicy' }
  const form = { applicationRestrictions: rules, servicePrincipalRestrictions: rules }
  const answer = parseAnswer(line, z.object({ isEnabled: z.boolean(), ...form }), body)
  const { isEnabled, applicationRestrictions, ...others } = answer
  const { identifierUris, ...own } = Object(applicationRestrictions)
  // What Microsoft restricts in every tenant is not a rule of this one.
  const isInitial =
    identifierUris?.nonDefaultUriAddition?.state !== 'enabled' &&
    identifierUris?.uriAdditionWithoutUniqueTenantIdentifier?.isStateSetByMicrosoft
  const definition = {
    ...others,
    applicationRestrictions: isInitial ? own : applicationRestrictions,
  }
  return { ...defaultPolicy, isEnabled, definition: plainJson(definition) }
}

const object = z.object({ id: z.guid().toLowerCase() })
const organization = z.object({ verifiedDomains: z.array(z.object({ name: z.string() })) })

type Asked = {
  /**
   * Whether a file has policies, so that the administrator must be able to read them. If it has none,
   * only those are read that may refuse the file. Default: all that can be read.
   */
  readonly isNamed?: boolean
  /** Paths of the objects whose assignments matter. Default: all, which a large tenant searches for long. */
  readonly holders?: readonly string[]
}

/**
 * Reads the policies of a tenant, with the objects to which they are assigned.
 *
 * @returns nothing if none can be read
 */
export async function readPolicies(
  graph: Graph,
  reader: DirectoryReader,
  { isNamed, holders }: Asked = {},
): Promise<Pick<DirectoryState, 'policies' | 'domains' | 'authorities'>> {
  const path = '/policies/defaultAppManagementPolicy'
  const request = { method: 'GET', path, role: writesPolicies, repeatable: true } as const
  const answer = await graph.send(request).catch(undefinedIf(!isNamed))
  if (answer === undefined) return {}
  const kinds = isNamed === false ? (['appManagement'] as const) : fileKinds
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const found = await reader.list(`/policies/${policyKinds[kind].list}`, policy)
      return found.map((one) => ({ ...one, kind }))
    }),
  )
  const found = lists.flat()
  const idsIn = async (path: string) => (await reader.list(path, object)).map(({ id }) => id)
  const paths = found.length === 0 ? [] : (holders ?? [])
  const held = await reader.each('read_policies', paths, async (path) => ({
    id: path.split('/').at(-1) ?? '',
    policyIds: await Promise.all(kinds.map((kind) => idsIn(`${path}/${policyKinds[kind].list}`))),
  }))
  const named = await reader.each('read_policies', found, async (one): Promise<Policy> => {
    const { displayName, definition, restrictions, ...rest } = one
    const appliesTo = holders
      ? held.filter(({ policyIds }) => policyIds.flat().includes(one.id)).map(({ id }) => id)
      : await idsIn(`/policies/${policyKinds[one.kind].list}/${one.id}/appliesTo`)
    const text = displayName ?? one.id
    return { ...rest, displayName: text, definition: definition ?? restrictions, appliesTo }
  })
  const byDefault = defaultPolicyOf(answer.body)
  const policies = [byDefault, ...named]
  // A policy of the file may restrict what those of the directory do not.
  const restricts = (type: string) => isNamed || JSON.stringify(policies).includes(type)
  const [tenants, authorities] = await Promise.all([
    byDefault.isEnabled || restricts('uriAdditionWithoutUniqueTenantIdentifier')
      ? reader.list('/organization', organization).catch(undefinedIf(true))
      : undefined,
    restricts('trustedCertificateAuthority')
      ? readAuthorities(reader).catch(undefinedIf(true))
      : undefined,
  ])
  const names = tenants?.flatMap(({ verifiedDomains }) => verifiedDomains)
  const domains = names?.map(({ name }) => name.toLowerCase())
  return { policies, ...(domains && { domains }), authorities }
}

const authority = z.object({ isRootAuthority: z.boolean(), certificate: z.string() })

async function readAuthorities(reader: DirectoryReader) {
  const path = '/directory/certificateAuthorities/certificateBasedApplicationConfigurations'
  return reader.each('read_policies', await reader.list(path, object), async ({ id }) => ({
    id,
    kind: 'trustedAuthorities' as const,
    definition: await reader.list(`${path}/${id}/trustedCertificateAuthorities`, authority),
  }))
}

/** Those of some service principals that have a claims mapping policy. */
export async function readMapped(
  reader: DirectoryReader,
  ids: readonly string[],
): Promise<readonly string[]> {
  const found = await reader.each('read_policies', ids, async (id) => {
    const path = `/servicePrincipals/${id}/claimsMappingPolicies`
    const policies = await reader.list(path, object).catch(undefinedIf(true))
    return policies?.length ? [id] : []
  })
  return found.flat()
}

/** The administrator may lack the role, or the directory may have no policies. */
const undefinedIf = (isOptional: boolean) => (error: unknown) => {
  const isUnreadable =
    error instanceof GraphRefusalError
      ? [400, 403, 404].includes(error.status)
      : Object(error).code === 'role_missing'
  if (!isOptional || !isUnreadable) throw error
  return undefined
}
