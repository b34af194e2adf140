import { defaultAppManagementPolicyId } from '@greeting/directory'
import { z } from 'zod'
import type { KnownPolicies } from '../planning/directory/directory-state.ts'
import { policyKinds } from '../planning/steps/plan-policies.ts'
import { type Graph, GraphRefusalError, parseAnswer } from './graph.ts'

const text = z.string().nullish()
const isList = (value: unknown) =>
  Array.isArray(value) && value.every((one) => one && typeof one === 'object')
const rules = z
  .record(z.string(), z.json())
  .transform((all) => Object.fromEntries(Object.entries(all).filter(([, one]) => one !== null)))
  .refine(({ passwordCredentials = [], keyCredentials = [] }) =>
    [passwordCredentials, keyCredentials].every(isList),
  )

const policy = z.object({
  id: z.guid().toLowerCase(),
  displayName: text,
  description: text,
  isEnabled: z.boolean().default(true),
  isOrganizationDefault: z.boolean().default(false),
  definition: z.array(z.string()).default([]),
  restrictions: rules.nullish(),
})

const defaultPolicy = z.object({
  isEnabled: z.boolean(),
  applicationRestrictions: rules.nullish(),
  servicePrincipalRestrictions: rules.nullish(),
})

/** The default app management policy in the form of Microsoft Graph. */
export function defaultPolicyOf(body: unknown): KnownPolicies['all'][number] {
  const line = { method: 'GET', path: '/policies/defaultAppManagementPolicy' }
  const { isEnabled, ...restrictions } = parseAnswer(line, defaultPolicy, body)
  const definition = Object.fromEntries(
    Object.entries(restrictions).map(([row, value]) => [row, value ?? {}]),
  )
  const displayName = 'default app management policy'
  const base = { kind: 'appManagement', description: null, isOrganizationDefault: true } as const
  return { ...base, id: defaultAppManagementPolicyId, displayName, isEnabled, definition }
}

const object = z.object({ id: z.guid().toLowerCase() })
const organization = z.object({ verifiedDomains: z.array(z.object({ name: z.string() })) })

/**
 * Reads the policies of a tenant, with the objects to which they are assigned.
 *
 * @param isNeeded whether it fails without the permission to read them
 */
export async function readPolicies(
  graph: Graph,
  isNeeded: boolean,
): Promise<KnownPolicies | undefined> {
  try {
    const path = '/policies/defaultAppManagementPolicy'
    const { body } = await graph.send({ method: 'GET', path, repeatable: true })
    const lists = await Promise.all(
      Object.values(policyKinds).map(async ({ kind, list }) => {
        const found = await graph.list(`/policies/${list}`, policy)
        return Promise.all(
          found.map(async ({ displayName, description, definition, restrictions, ...one }) => ({
            policy: {
              ...one,
              kind,
              displayName: displayName ?? one.id,
              description: description ?? null,
              definition: kind === 'tokenLifetime' ? definition : (restrictions ?? {}),
            },
            objects: await graph.list(`/policies/${list}/${one.id}/appliesTo`, object),
          })),
        )
      }),
    )
    const found = lists.flat()
    const pairs = found.flatMap(({ policy, objects }) =>
      objects.map(({ id }) => ({ id, policyId: policy.id })),
    )
    const assigned = Map.groupBy(pairs, ({ id }) => id)
    const [tenant] = await graph.list('/organization', organization).catch(() => [])
    return {
      all: [defaultPolicyOf(body), ...found.map(({ policy }) => policy)],
      assigned: new Map(
        [...assigned].map(([id, all]) => [id, all.map(({ policyId }) => policyId)]),
      ),
      domains: tenant?.verifiedDomains.map(({ name }) => name.toLowerCase()) ?? [],
    }
  } catch (error) {
    if (isNeeded || !isUnreadable(error)) throw error
    return undefined
  }
}

/** Whether the administrator has no permission, or the directory has no policies. */
const isUnreadable = (error: unknown) =>
  error instanceof GraphRefusalError && [400, 403, 404].includes(error.status)
