import type { Application } from '../../directory/application/application.ts'
import type { ServicePrincipal } from '../../directory/service-principal/service-principal.ts'
import type { Expansions } from '../odata/entity-set.ts'
import { entityJson } from '../odata/show-entity.ts'
import { directoryObjects } from './directory-objects/directory-object-entity-set.ts'
import { activeOwners } from './owners/object-reference.ts'
import { appRoleAssignments } from './service-principals/app-role-assignment-operations.ts'
import { activeServicePrincipal } from './service-principals/find-service-principal.ts'

const owners: Expansions<Application | ServicePrincipal> = {
  owners: ({ ownerIds, tenantId }, view) =>
    activeOwners(view.directory, tenantId, ownerIds).map((owner) =>
      entityJson(owner, directoryObjects, { ...view, selected: undefined }),
    ),
}

/** The related objects that `$expand` adds to an application. */
export const applicationExpansions: Expansions<Application> = owners

/** The related objects that `$expand` adds to a service principal. */
export const principalExpansions: Expansions<ServicePrincipal> = {
  ...owners,
  appRoleAssignments: ({ id, tenantId }, view) =>
    view.directory
      .assignmentsOf(id)
      .filter(
        ({ resourceId }) =>
          activeServicePrincipal(view.directory, tenantId, resourceId) !== undefined,
      )
      .slice(0, 20)
      .map((one) => entityJson(one, appRoleAssignments, { ...view, selected: undefined })),
}
