import { showProperty } from '../../odata/show-entity.ts'
import type { ReadOperation } from '../../operations/operation.ts'
import { readsApplications } from '../../privileges/graph-roles.ts'
import { applications, servicePrincipals } from './entity-sets.ts'
import { findApplication, findServicePrincipal } from './find-object.ts'

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
