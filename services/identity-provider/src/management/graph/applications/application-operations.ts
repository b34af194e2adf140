// Folder: The operations on applications and what they contain.

import {
  type Application,
  type Directory,
  inertAfter,
  inertApplicationDefaults,
  newApplication,
  passwordCredentialJson,
  put,
  remove,
} from '@greeting/directory'
import { requireType } from '../../body/parse-body.ts'
import { entityTag } from '../../odata/entity-tag.ts'
import { entityJson, showCreated, shownFor } from '../../odata/show-entity.ts'
import type { AnswerWithBody, Change, ChangingCall } from '../../operations/operation.ts'
import { hasRoles } from '../../privileges/caller.ts'
import { agentAccess, type GraphRole } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import {
  type CreatedPassword,
  keyCredentialsAfter,
  newPassword,
} from '../directory-objects/credential-body.ts'
import { deleteApplication } from '../directory-objects/directory-object-operations.ts'
import { applications } from '../directory-objects/entity-sets.ts'
import { findApplication, keyIn } from '../directory-objects/find-object.ts'
import {
  applicationRow,
  createdBy,
  objectOperations,
  stored,
} from '../directory-objects/object-operations.ts'
import { typeOf } from '../directory-objects/object-type.ts'
import { requireSponsors, withOwners, withSponsors } from '../directory-objects/owner-operations.ts'
import { parseApplication } from './application-body.ts'
import { requireValidApplication } from './application-rules.ts'

/** Registers applications, with app roles and requested permissions: registration steps 1 to 4. */
export const applicationOperations = objectOperations(applicationRow, {
  create: { summary: 'Registers an application.', change: create },
  update: {
    summary:
      'Changes the properties of an application that the body contains. A collection replaces the old one.',
    change: update,
  },
  remove: {
    summary: 'Deletes an application and its service principal. Both can be restored for 30 days.',
    change: deleteApplication,
  },
})

function create(call: ChangingCall): Change {
  const { body, caller, cast, committed, runtime } = call
  const type = requireType(body, cast ? [cast] : ['application', 'agentIdentityBlueprint'])
  const {
    inert,
    keyCredentials,
    newPasswords,
    ownerIds,
    passwordKeyIds = [],
    properties,
    sponsorIds,
  } = parseApplication(body)
  if (properties.displayName === undefined)
    throw refuse('body_invalid', "Property 'displayName' is required.")
  if (passwordKeyIds.length > 0) throw refuse('passwords_read_only')
  requireFreeUniqueName(call, properties.uniqueName ?? null)
  const passwords = newPasswords.map((one) => newPassword(one, runtime))
  const isBlueprint = type === 'agentIdentityBlueprint'
  const appId = runtime.newGuid()
  requireSponsors(sponsorIds, isBlueprint)
  const application = newApplication({
    // As in Entra ID, where the default of these applications is 2.
    requestedAccessTokenVersion:
      properties.signInAudience === 'AzureADandPersonalMicrosoftAccount' ? 2 : null,
    ...properties,
    blueprint: isBlueprint
      ? { sponsorIds: withSponsors([], sponsorIds), inheritablePermissions: [] }
      : null,
    inertProperties: inertAfter({}, inert, inertApplicationDefaults),
    ownerIds: withOwners([], ownerIds, call, isBlueprint),
    passwordCredentials: passwords.map(({ credential }) => credential),
    displayName: properties.displayName,
    id: isBlueprint ? appId : runtime.newGuid(),
    appId,
    tenantId: caller.tenantId,
    createdByAppId: caller.applicationId,
    createdDateTime: runtime.now(),
    keyCredentials: keyCredentialsAfter([], keyCredentials, runtime),
  })
  requireValidApplication(application, undefined, committed, body)
  const answer = withSecrets(showCreated(call, applications, application), passwords)
  return stored('application', application, answer)
}

/** The answer is the only one with the texts of new secrets. */
const withSecrets = (
  answer: AnswerWithBody,
  passwords: readonly CreatedPassword[],
): AnswerWithBody =>
  passwords.length === 0
    ? answer
    : {
        ...answer,
        body: {
          ...answer.body,
          passwordCredentials: passwords.map(({ credential, secretText }) => ({
            ...passwordCredentialJson(credential),
            secretText,
          })),
        },
      }

function requireFreeUniqueName(
  { caller, committed }: ChangingCall,
  uniqueName: string | null,
): void {
  if (uniqueName === null) return
  if (committed.applicationByUniqueName(caller.tenantId, uniqueName) === undefined) return
  throw refuse('unique_name_taken')
}

/** With `Prefer: create-if-missing`, a new application is created when none has this unique name. */
function update(call: ChangingCall): Change {
  const { body, caller, committed, runtime } = call
  requirePropertyRoles(call)
  const uniqueName = keyIn(call.parameters.id, 'uniqueName')
  const isMissing =
    uniqueName !== undefined &&
    committed.applicationByUniqueName(caller.tenantId, uniqueName) === undefined
  if (isMissing && call.mayCreate) {
    const creation = { action: 'application.create', change: create }
    return createdBy(creation, call, '/applications', { uniqueName })
  }
  const before = findApplication(call)
  requireType(body, ['application', typeOf(before, committed)])
  const { inert, keyCredentials, newPasswords, ownerIds, passwordKeyIds, properties, sponsorIds } =
    parseApplication(body, entityJson(before, applications, shownFor(call)))
  requireSponsors(sponsorIds, false)
  const hasOtherSecrets =
    passwordKeyIds !== undefined && !hasSameKeyIds(before.passwordCredentials, passwordKeyIds)
  if (hasOtherSecrets || newPasswords.length > 0) throw refuse('passwords_read_only')
  if (ownerIds.length > 0) throw refuse('owners_need_reference')
  const application: Application = {
    ...before,
    ...properties,
    inertProperties: inertAfter(before.inertProperties, inert, inertApplicationDefaults),
    keyCredentials: keyCredentialsAfter(before.keyCredentials, keyCredentials, runtime),
  }
  requireValidApplication(application, before, committed, body)
  return {
    changes: [put('application', application), ...consequences(before, application, committed)],
    target: application.id,
    answer: { status: 204, etag: entityTag(call.nextMark) },
  }
}

function hasSameKeyIds(
  known: Application['passwordCredentials'],
  keyIds: readonly string[],
): boolean {
  const named = new Set(keyIds)
  return known.length === keyIds.length && known.every(({ keyId }) => named.has(keyId))
}

/** The service principal gets the new name, and assignments of removed roles are removed. */
function consequences(before: Application, after: Application, directory: Directory) {
  const principal = directory.servicePrincipalByAppId(after.tenantId, after.appId)
  const kept = new Set(after.appRoles.map(({ id }) => id))
  const gone = new Set(before.appRoles.map(({ id }) => id).filter((id) => !kept.has(id)))
  return [
    ...(principal !== undefined && after.displayName !== before.displayName
      ? [put('servicePrincipal', { ...principal, displayName: after.displayName })]
      : []),
    ...(principal === undefined ? [] : [...gone])
      .flatMap((roleId) => directory.assignmentsOfRole(principal?.id ?? '', roleId))
      .map(({ id }) => remove('appRoleAssignment', id)),
  ]
}

const roleOfProperty: Readonly<Record<string, GraphRole>> = {
  displayName: 'AgentIdentityBlueprint.UpdateBranding.All',
  description: 'AgentIdentityBlueprint.UpdateBranding.All',
  info: 'AgentIdentityBlueprint.UpdateBranding.All',
  keyCredentials: 'AgentIdentityBlueprint.AddRemoveCreds.All',
  passwordCredentials: 'AgentIdentityBlueprint.AddRemoveCreds.All',
}

/**
 * Requires the role of each property that a body changes. A caller that may write all blueprints needs no other.
 *
 * @throws {GraphError} graph_refusal role_missing.
 */
function requirePropertyRoles({ body, caller, cast }: ChangingCall): void {
  if (cast === undefined || hasRoles(caller.roles, agentAccess(cast, 'write'))) return
  const changed = Object.keys(Object(body)).filter((name) => !name.startsWith('@'))
  const needed = changed.map(
    (name) => roleOfProperty[name] ?? 'AgentIdentityBlueprint.UpdateAuthProperties.All',
  )
  if (
    !hasRoles(
      caller.roles,
      needed.map((role) => [role]),
    )
  )
    throw refuse('role_missing')
}
