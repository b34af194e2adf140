import { z } from 'zod'
import type { Directory } from '../../../directory/directory.ts'
import { guid, text } from '../../../directory/properties/forms.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { activeServicePrincipal } from './find-object.ts'

const referenceSets = new Set(['directoryobjects', 'serviceprincipals', 'users', 'groups'])

/**
 * The address of an object of the directory. Only its last two segments count: a client may reach this
 * server by another host than the one in its references.
 *
 * @see OData JSON Format 4.01 section 8.5
 */
export const objectReference = text(2048)
  .transform((reference) => {
    const [set = '', id = ''] = reference.split('/').slice(-2)
    return referenceSets.has(set.toLowerCase()) ? id : ''
  })
  .pipe(guid)

/** The body of `POST .../owners/$ref`. */
export const referenceBody = z.strictObject({ '@odata.id': objectReference })

/** As in Microsoft Graph. */
export const maxOwners = 100

/**
 * The owners after some were added. An owner must be a service principal of the tenant.
 *
 * @throws {GraphError} graph_refusal resource_unknown, owner_taken, body_invalid.
 */
export function withOwners(
  before: readonly string[],
  added: readonly string[],
  directory: Directory,
  tenantId: string,
): readonly string[] {
  const owners = new Set(before)
  for (const id of added) {
    if (activeServicePrincipal(directory, tenantId, id) === undefined) {
      throw refuse('resource_unknown', id)
    }
    if (owners.has(id)) throw refuse('owner_taken')
    owners.add(id)
  }
  if (owners.size > maxOwners) {
    throw refuse('body_invalid', `An object must not have more than ${maxOwners} owners.`)
  }
  return [...owners]
}
