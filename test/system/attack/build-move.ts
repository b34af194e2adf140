import { randomUUID } from 'node:crypto'
import type { DocumentedOperation } from './documented-roles.ts'
import type { Target } from './judge-answer.ts'
import { type Move, type MoveContext, type Objects, objectsFor } from './move.ts'
import { specialMoves } from './special-moves.ts'

/** A path that names the object by another key, in half of the cases. */
function keyed(context: MoveContext, path: string, { application, principal }: Objects): string {
  const { random, caller, directory } = context
  if (random.isLikely(0.7)) return path
  const ofApplication = directory.applications.get(application)
  const ofPrincipal = directory.principals.get(principal)
  const keyedPath = path.replace(
    `/applications/${application}`,
    `/applications(appId='${ofApplication?.appId}')`,
  )
  // The same key names another object in another tenant, and a new one while a deleted one exists.
  if (ofPrincipal?.tenantId !== caller.tenantId || ofPrincipal.isDeleted) return keyedPath
  return keyedPath.replace(
    `/servicePrincipals/${principal}`,
    `/servicePrincipals(appId='${ofPrincipal.appId}')`,
  )
}

/** Builds the request of an operation, with random objects and a random body. */
export function buildMove(operation: DocumentedOperation, context: MoveContext): Move {
  const objects = objectsFor(context)
  const [method = '', template = ''] = operation.operation.split(' ')
  const { application, principal } = objects
  const isApplication = template.includes('/applications/{id}')
  const isPrincipal = template.includes('/servicePrincipals/{id}')
  const isEither = /^\/directory(Objects|\/deletedItems)\/\{id\}/.test(template)
  const tenantId = template.startsWith('/tenants/')
    ? context.random.oneOf(context.tenantIds)
    : undefined
  const id = tenantId ?? (isPrincipal ? principal : application)
  const path = template
    .replace('{id}', id)
    .replace('{property}', context.random.oneOf(['passwordCredentials', 'keyCredentials', 'tags']))
    .replace('{navigation}', 'memberOf')
    .replace('{owner}', objectsFor(context).principal)
    .replace(/\{\w+\}/g, () => randomUUID())
  const target: Target = {
    application: isApplication || isEither ? application : undefined,
    principal: isPrincipal ? principal : undefined,
    tenantId,
  }
  const draft = specialMoves[`${operation.api} ${operation.operation}`]?.(context, objects) ?? {}
  return {
    operation,
    method,
    target,
    onSuccess: () => undefined,
    ...draft,
    path: keyed(context, draft.path ?? path, objects),
  }
}
