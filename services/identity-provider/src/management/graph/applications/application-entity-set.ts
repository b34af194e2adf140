import {
  type Application,
  applicationProperties,
} from '../../../directory/application/application.ts'
import { credentialName } from '../../../directory/application/credential.ts'
import { shownProperties } from '../../../directory/properties/property.ts'
import type { EntitySet } from '../../odata/entity-set.ts'

/** The applications of Microsoft Graph. */
export const applications: EntitySet<Application> = {
  name: 'applications',
  type: 'application',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('application', id),
  credentialsOf: (one) =>
    [...one.passwordCredentials, ...one.keyCredentials].map(({ keyId }) =>
      credentialName(one, keyId),
    ),
  properties: shownProperties(applicationProperties),
}
