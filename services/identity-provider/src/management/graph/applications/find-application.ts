import type { Application } from '../../../directory/application.ts'
import { isGuid } from '../../../directory/guid.ts'
import { refuse } from '../../http/graph-error.ts'
import type { Call } from '../../http/operation.ts'
import { requireMatch } from '../../odata/entity-tag.ts'

/**
 * Finds the application in the path of a request, by object ID or as `appId=...`, and checks `If-Match`.
 *
 * @throws {GraphError} graph_refusal identifier_invalid, resource_unknown, object_changed.
 */
export function findApplication({ caller, directory, ifMatch, parameters }: Call): Application {
  const { id: key = '' } = parameters
  const [, appId] = /^appId=(.*)$/s.exec(key) ?? []
  const name = appId ?? key
  if (!isGuid(name)) throw refuse('identifier_invalid', name)
  const application =
    appId === undefined ? directory.application(name) : directory.applicationByAppId(name)
  if (application?.tenantId !== caller.tenantId || application.deletedDateTime !== null) {
    throw refuse('resource_unknown', name)
  }
  requireMatch(ifMatch, directory.revisionOf('application', application.id) ?? 0)
  return application
}
