import type { KeyCredential } from '../../../model/application/key-credential.ts'
import type { PasswordCredential } from '../../../model/application/password-credential.ts'
import {
  type ServicePrincipal,
  servicePrincipalProperties,
} from '../../../model/service-principal/service-principal.ts'
import { entityRows } from './entity-rows.ts'
import { nameKeys, text } from './object-rows.ts'
import type { ServicePrincipalCredentialRow, ServicePrincipalRow } from './tables.ts'

const ownRow = entityRows<ServicePrincipal, ServicePrincipalRow>(servicePrincipalProperties)

export const servicePrincipalFromRow = ownRow.fromRow

export const servicePrincipalToRow = (principal: ServicePrincipal): ServicePrincipalRow =>
  ownRow.toRow(principal, nameKeys(principal))

/**
 * The credential rows of a service principal, which are only written, because the principal's row
 * also has its credentials.
 */
export const servicePrincipalCredentialRows = ({
  id,
  keyCredentials,
  passwordCredentials,
  tenantId,
}: ServicePrincipal): ServicePrincipalCredentialRow[] => {
  const rowOf = (
    kind: ServicePrincipalCredentialRow['kind'],
    { displayName, endDateTime, keyId }: KeyCredential | PasswordCredential,
  ) => ({
    service_principal_id: id,
    tenant_id: tenantId,
    kind,
    key_id: keyId,
    display_name: displayName,
    ends_at: text(endDateTime),
  })
  return [
    ...passwordCredentials.map((one) => rowOf('secret', one)),
    ...keyCredentials.map((one) => rowOf('certificate', one)),
  ]
}
