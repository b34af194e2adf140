import type { KeyCredential } from '../../../directory/application/key-credential.ts'
import type { PasswordCredential } from '../../../directory/application/password-credential.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import {
  keyCredentialFromRow,
  keyCredentialToRow,
  type StoredCertificate,
} from './key-credential-row.ts'
import { nameKey, text, textOrNull, timeOrNull, wordStartsText } from './object-rows.ts'
import {
  passwordCredentialFromRow,
  passwordCredentialToRow,
  type StoredPassword,
} from './password-credential-row.ts'
import type { ServicePrincipalCredentialRow, ServicePrincipalRow } from './tables.ts'

export const servicePrincipalToRow = (
  principal: ServicePrincipal,
  revision: number,
): ServicePrincipalRow => ({
  id: principal.id,
  tenant_id: principal.tenantId,
  app_id: principal.appId,
  display_name: principal.displayName,
  created_at: text(principal.createdDateTime),
  deleted_at: textOrNull(principal.deletedDateTime),
  account_enabled: Number(principal.accountEnabled),
  app_role_assignment_required: Number(principal.appRoleAssignmentRequired),
  revision,
  name_key: nameKey(principal.displayName),
  word_starts: wordStartsText(principal.displayName),
  password_credentials: JSON.stringify(principal.passwordCredentials.map(passwordCredentialToRow)),
  key_credentials: JSON.stringify(principal.keyCredentials.map(keyCredentialToRow)),
  delegated_consents: JSON.stringify(principal.delegatedConsents),
  owner_ids: JSON.stringify(principal.ownerIds),
  description: JSON.stringify(principal.inertProperties),
})

/** Only written: the service principal has its credentials in its own row too. */
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

export const servicePrincipalFromRow = (row: ServicePrincipalRow): ServicePrincipal => ({
  id: row.id,
  tenantId: row.tenant_id,
  appId: row.app_id,
  displayName: row.display_name,
  createdDateTime: new Date(row.created_at),
  deletedDateTime: timeOrNull(row.deleted_at),
  accountEnabled: row.account_enabled === 1,
  appRoleAssignmentRequired: row.app_role_assignment_required === 1,
  passwordCredentials: (JSON.parse(row.password_credentials) as StoredPassword[]).map(
    passwordCredentialFromRow,
  ),
  keyCredentials: (JSON.parse(row.key_credentials) as StoredCertificate[]).map(
    keyCredentialFromRow,
  ),
  delegatedConsents: JSON.parse(row.delegated_consents),
  ownerIds: JSON.parse(row.owner_ids),
  inertProperties: JSON.parse(row.description),
})
