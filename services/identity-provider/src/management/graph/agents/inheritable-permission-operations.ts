import { complexType, type InheritablePermission, isGuid } from '@greeting/directory'
import { bodyCollection, guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { entityJson, showCreated, shownFor } from '../../odata/show-entity.ts'
import type { Answer, Call, Change, ChangingCall } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { findApplication } from '../directory-objects/find-object.ts'
import { propertyFault } from '../directory-objects/object-body.ts'
import { stored } from '../directory-objects/object-operations.ts'
import { partOperations } from '../directory-objects/part-operations.ts'

const typesOf = {
  inheritableScopes: {
    allAllowed: 'allAllowedScopes',
    enumerated: 'enumeratedScopes',
    none: 'noScopes',
  },
  inheritableRoles: { allAllowed: 'allAllowedRoles', none: 'noRoles' },
} as const

type Pattern = keyof typeof typesOf

const patternJson = <Name extends Pattern>(name: Name, kind: keyof (typeof typesOf)[Name]) => ({
  '@odata.type': `#microsoft.graph.${typesOf[name][kind]}`,
  kind,
})

export const inheritablePermissions: EntitySet<InheritablePermission> = {
  name: 'inheritablePermissions',
  type: 'inheritablePermission',
  keyOf: ({ resourceAppId }) => resourceAppId,
  properties: {
    resourceAppId: { type: 'Edm.String', filter: 'value', show: (one) => one.resourceAppId },
    inheritableScopes: {
      type: complexType('inheritableScopes', {
        kind: {},
        scopes: { type: 'Collection(Edm.String)' },
      }),
      show: ({ scopes, scopeValues }) => ({
        ...patternJson('inheritableScopes', scopes),
        ...(scopes === 'enumerated' ? { scopes: scopeValues } : {}),
      }),
    },
    inheritableRoles: {
      type: complexType('inheritableRoles', { kind: {} }),
      show: ({ roles }) => patternJson('inheritableRoles', roles),
    },
  },
}

/** The operations on inheritable permissions: for each API, agents inherit all roles of their blueprint or none. */
export const inheritablePermissionOperations = partOperations({
  set: inheritablePermissions,
  key: 'resource',
  name: 'InheritablePermission',
  access: 'inherit',
  partsOf: (call) => find(call).permissions,
  find: findOne,
  lists: 'Lists the APIs whose permissions the agents of a blueprint inherit.',
  shows: 'Shows what the agents of a blueprint inherit of an API.',
  create: {
    summary: 'Lets the agents of a blueprint inherit its permissions of an API.',
    change: create,
  },
  update: { summary: 'Changes what the agents of a blueprint inherit of an API.', change: update },
  remove: { summary: 'Ends the inheritance of the permissions of an API.', change: remove },
})

/** As in Microsoft Graph. */
const maxPermissions = 10

const patterns = {
  inheritableScopes: z
    .strictObject({
      kind: z.enum(['allAllowed', 'enumerated', 'none']),
      scopes: bodyCollection(text(), 100).optional(),
    })
    .refine(
      ({ kind, scopes = [] }) => (kind === 'enumerated') === scopes.length > 0,
      'must have scopes if and only if its kind is enumerated',
    ),
  inheritableRoles: z.strictObject({ kind: z.enum(['allAllowed', 'none']) }),
}
const changedPermission = z.strictObject({ ...patterns, resourceAppId: guid }).partial()
const newPermission = changedPermission.required({ resourceAppId: true })

/** Clients may name a pattern by its type alone. */
function withKinds(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const members = Object.entries(body).map(([name, value]) => {
    const types: object = typesOf[name as Pattern] ?? {}
    const named = String(Object(value)['@odata.type']).split('.').at(-1)?.toLowerCase()
    const [kind] = Object.entries(types).find(([, type]) => type.toLowerCase() === named) ?? []
    return [name, kind === undefined ? value : { kind, ...value }]
  })
  return Object.fromEntries(members)
}

function create(call: ChangingCall): Change {
  const { permissions } = find(call)
  const { resourceAppId, ...patterns } = parseBody(newPermission, withKinds(call.body))
  if (permissions.some((one) => one.resourceAppId === resourceAppId))
    throw refuse('inheritable_permission_taken', resourceAppId)
  if (permissions.length === maxPermissions)
    throw refuse(
      'body_invalid',
      `A blueprint must not have more than ${maxPermissions} inheritable permissions.`,
    )
  const added = after({ resourceAppId, scopes: 'none', roles: 'none' }, patterns)
  return changed(call, (all) => [...all, added], showCreated(call, inheritablePermissions, added))
}

function remove(call: ChangingCall): Change {
  const { resourceAppId } = findOne(call)
  return changed(call, (all) => all.filter((one) => one.resourceAppId !== resourceAppId))
}

function update(call: ChangingCall): Change {
  const before = findOne(call)
  const { resourceAppId = before.resourceAppId, ...patterns } = parseBody(
    changedPermission,
    withKinds(call.body),
  )
  if (resourceAppId !== before.resourceAppId) throw propertyFault('resourceAppId')
  const one = after(before, patterns)
  const json = entityJson(one, inheritablePermissions, shownFor(call))
  return changed(call, (all) => all.map((other) => (other === before ? one : other)), {
    status: 200,
    body: json,
  })
}

const after = (
  before: InheritablePermission,
  { inheritableRoles, inheritableScopes }: z.output<typeof changedPermission>,
): InheritablePermission => ({
  ...before,
  scopes: inheritableScopes?.kind ?? before.scopes,
  scopeValues: (inheritableScopes ? inheritableScopes.scopes : before.scopeValues) ?? [],
  roles: inheritableRoles?.kind ?? before.roles,
})

/** The blueprint in the path. The cast of the path excludes every other application. */
function find(call: Call) {
  const application = findApplication(call)
  const { blueprint } = application
  if (blueprint === null) throw refuse('resource_unknown', application.id)
  return { application, blueprint, permissions: blueprint.inheritablePermissions }
}

function findOne(call: Call): InheritablePermission {
  const { resource = '' } = call.parameters
  if (!isGuid(resource)) throw refuse('identifier_invalid', resource)
  const found = find(call).permissions.find((one) => one.resourceAppId === resource.toLowerCase())
  if (found === undefined) throw refuse('resource_unknown', resource)
  return found
}

function changed(
  call: ChangingCall,
  change: (all: readonly InheritablePermission[]) => readonly InheritablePermission[],
  answer?: Answer,
): Change {
  const { application, blueprint, permissions } = find(call)
  const inheritablePermissions = change(permissions)
  return stored(
    'application',
    { ...application, blueprint: { ...blueprint, inheritablePermissions } },
    answer,
  )
}
