import { credentialName } from '../../../directory/application/credential.ts'
import { shownProperties } from '../../../directory/properties/property.ts'
import {
  type ServicePrincipal,
  servicePrincipalProperties,
} from '../../../directory/service-principal/service-principal.ts'
import type { EntitySet } from '../../odata/entity-set.ts'

/** The service principals of Microsoft Graph. */
export const servicePrincipals: EntitySet<ServicePrincipal> = {
  name: 'servicePrincipals',
  type: 'servicePrincipal',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('servicePrincipal', id),
  credentialsOf: ({ appId, keyCredentials, passwordCredentials }, { directory }) => {
    const application = directory.applicationByAppId(appId)
    return application === undefined
      ? []
      : [...passwordCredentials, ...keyCredentials].map(({ keyId }) =>
          credentialName(application, keyId),
        )
  },
  properties: shownProperties(servicePrincipalProperties),
}
