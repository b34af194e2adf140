// Folder: Agent identities and their blueprints: paths with a cast, and what ordinary objects do not have.

import type { Operation } from '../../operations/operation.ts'
import { type AgentType, agentAccess, agentTypes } from '../../privileges/graph-roles.ts'

/** The types of agent objects, in the words of the reference. */
const many: Readonly<Record<AgentType, string>> = {
  agentIdentityBlueprint: 'agent identity blueprints',
  agentIdentityBlueprintPrincipal: 'principals of agent identity blueprints',
  agentIdentity: 'agent identities',
}

/** What a cast to a subtype stands behind, or instead of. */
const placeOfCast = /^\/(?:directory\/deletedItems|\w+(?:\/\{id\})?)/
const baseType = /(?<=^\/directory\/deletedItems)\/microsoft\.graph\.\w+/
const ofPrincipals = /^\/(?:directory\/deletedItems\/microsoft\.graph\.)?servicePrincipal/

/**
 * The operations whose paths contain a cast to a type of agent objects. They require separate
 * roles, and exist only for objects of the type.
 *
 * @param summaries `own` for operations that exist with a cast only
 * @see OData 4.01 Part 2 section 4.11
 */
export const typedOperations = <Row extends Operation>(
  operations: readonly Row[],
  summaries: 'own' | 'of base' = 'of base',
): Row[] =>
  operations.flatMap((operation) => {
    const { access, method, path, summary } = operation
    if (access === undefined) return []
    const set = ofPrincipals.test(path) ? 'servicePrincipals' : 'applications'
    return (Object.keys(agentTypes) as AgentType[])
      .filter((type) => agentTypes[type] === set)
      .map((type) => ({
        ...operation,
        cast: type,
        path: path.replace(baseType, '').replace(placeOfCast, `$&/microsoft.graph.${type}`),
        requires: agentAccess(type, access),
        summary:
          summaries === 'own' ? summary : `As \`${method} ${path}\`, for ${many[type]} only.`,
      }))
  })
