import { type Directory, findPrincipalByName } from '../model/directory.ts'

type Created = { readonly createdDateTime: Date }

/**
 * A directory that hides new objects for a while, as a directory with many replicas does. Other objects
 * are visible in their latest state.
 *
 * @param until objects that were created after this time are hidden
 */
export function eventuallyConsistent(directory: Directory, until: Date): Directory {
  const seen = <One extends Created>(one: One | undefined): One | undefined =>
    one !== undefined && one.createdDateTime <= until ? one : undefined
  const allSeen = <One extends Created>(all: Iterable<One>): One[] =>
    [...all].filter((one) => seen(one) !== undefined)
  const visible: Directory = {
    get revision() {
      return directory.revision
    },
    tenant: (idOrDomain) => directory.tenant(idOrDomain),
    tenants: () => directory.tenants(),
    application: (id) => seen(directory.application(id)),
    applicationByAppId: (appId) => seen(directory.applicationByAppId(appId)),
    applicationByUniqueName: (...name) => seen(directory.applicationByUniqueName(...name)),
    applicationsByIdentifierUri: (uri) => allSeen(directory.applicationsByIdentifierUri(uri)),
    servicePrincipal: (id) => seen(directory.servicePrincipal(id)),
    servicePrincipalByAppId: (...ids) => seen(directory.servicePrincipalByAppId(...ids)),
    servicePrincipalByName: (tenantId, name) => findPrincipalByName(visible, tenantId, name),
    servicePrincipalsOfApplication: (id) => allSeen(directory.servicePrincipalsOfApplication(id)),
    agentsOf: (blueprintAppId) => allSeen(directory.agentsOf(blueprintAppId)),
    appRoleAssignment: (id) => seen(directory.appRoleAssignment(id)),
    assignmentsOf: (principalId) => allSeen(directory.assignmentsOf(principalId)),
    assignmentsOfRole: (...role) => allSeen(directory.assignmentsOfRole(...role)),
    assignmentsTo: (resourceId) => allSeen(directory.assignmentsTo(resourceId)),
    markOf: (kind, id) => directory.markOf(kind, id),
  }
  return visible
}
