import { newApplication, newServicePrincipal, put } from '@greeting/directory'
import { name } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import { entityJson, shownFor } from '../../odata/show-entity.ts'
import {
  type Change,
  type ChangeOperation,
  type ChangingCall,
  operation,
} from '../../operations/operation.ts'
import { writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { applications, servicePrincipals } from '../directory-objects/entity-sets.ts'

/** The template of applications that are not in Microsoft's gallery. The others are Microsoft's. */
const ownApplication = '8adf8e6e-67b2-4cf2-a259-e3dc5476c621'

/**
 * The operation that creates an application and its service principal in one request.
 *
 * @see https://learn.microsoft.com/graph/api/applicationtemplate-instantiate
 */
export const applicationTemplateOperations: readonly ChangeOperation[] = [
  operation('POST /applicationTemplates/{id}/instantiate', writesApplications, {
    summary: `Registers an application and its service principal, by the template ${ownApplication} only.`,
    action: 'application.create',
    change: instantiate,
  }),
]

const instantiation = z.strictObject({ displayName: name() })

function instantiate(call: ChangingCall): Change {
  const { body, caller, parameters, runtime } = call
  const { id = '' } = parameters
  if (id.toLowerCase() !== ownApplication) throw refuse('resource_unknown', id)
  const { displayName } = parseBody(instantiation, body)
  const application = newApplication({
    displayName,
    id: runtime.newGuid(),
    appId: runtime.newGuid(),
    tenantId: caller.tenantId,
    createdByAppId: caller.applicationId,
    createdDateTime: runtime.now(),
  })
  const principal = {
    ...newServicePrincipal(caller.tenantId, application, runtime),
    createdByAppId: caller.applicationId,
  }
  const view = { ...shownFor(call), isNew: true }
  return {
    changes: [put('application', application), put('servicePrincipal', principal)],
    target: application.id,
    answer: {
      status: 201,
      body: {
        '@odata.context': `${call.rootUrl}/$metadata#microsoft.graph.applicationServicePrincipal`,
        application: entityJson(application, applications, view),
        servicePrincipal: entityJson(principal, servicePrincipals, view),
      },
    },
  }
}
