import type { Application } from '../../../directory/application/application.ts'
import { isGuid } from '../../../directory/guid.ts'
import { requireMatch } from '../../odata/entity-tag.ts'
import type { Call } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'

/**
 * Finds the application in the path of a request, by object ID, as `appId=...` or as `uniqueName=...`, and
 * checks `If-Match`.
 *
 * @throws {GraphError} graph_refusal identifier_invalid, resource_unknown, object_changed.
 */
export function findApplication(call: Call): Application {
  const { caller, directory, ifMatch, parameters } = call
  const { id: key = '' } = parameters
  const uniqueName = uniqueNameIn(call)
  const appId = key.startsWith('appId=') ? key.slice('appId='.length) : undefined
  const name = uniqueName ?? appId ?? key
  if (uniqueName === undefined && !isGuid(name)) throw refuse('identifier_invalid', name)
  const application =
    uniqueName !== undefined
      ? directory.applicationByUniqueName(caller.tenantId, uniqueName)
      : appId === undefined
        ? directory.application(name)
        : directory.applicationByAppId(name)
  if (application?.tenantId !== caller.tenantId || application.deletedDateTime !== null) {
    throw refuse('resource_unknown', name)
  }
  requireMatch(ifMatch, directory.revisionOf('application', application.id) ?? 0)
  return application
}

/** The unique name in the path of a request; undefined when it has another key. */
export const uniqueNameIn = ({ parameters: { id: key = '' } }: Call): string | undefined =>
  key.startsWith('uniqueName=') ? key.slice('uniqueName='.length) : undefined
