import { showProperty } from '../odata/show-entity.ts'
import type { ReadOperation } from '../operations/operation.ts'
import { readsApplications } from '../privileges/graph-roles.ts'
import { applications } from './applications/application-entity-set.ts'
import { findApplication } from './applications/find-application.ts'
import { findServicePrincipal } from './service-principals/find-service-principal.ts'
import { servicePrincipals } from './service-principals/service-principal-entity-set.ts'

/** Shows one property of an object at a path of its own. */
export const propertyOperations: readonly ReadOperation[] = [
  {
    method: 'GET',
    path: '/applications/{id}/{property}',
    properties: Object.keys(applications.properties),
    requires: readsApplications,
    summary: 'Shows one property of an application.',
    read: (call) => showProperty(call, applications, findApplication(call)),
  },
  {
    method: 'GET',
    path: '/servicePrincipals/{id}/{property}',
    properties: Object.keys(servicePrincipals.properties),
    requires: readsApplications,
    summary: 'Shows one property of a service principal.',
    read: (call) => showProperty(call, servicePrincipals, findServicePrincipal(call)),
  },
]
