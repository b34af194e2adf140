import type { AppRole } from '../../../model/application/app-role.ts'
import { type Application, applicationProperties } from '../../../model/application/application.ts'
import type { FederatedIdentityCredential } from '../../../model/application/federated-identity-credential.ts'
import {
  keyCredentialFromRow,
  keyCredentialToRow,
  passwordCredentialFromRow,
  passwordCredentialToRow,
} from './credential-rows.ts'
import { entityRows } from './entity-rows.ts'
import { nameKey, nameKeys } from './object-rows.ts'
import type {
  ApplicationRow,
  AppRoleRow,
  FederatedIdentityCredentialRow,
  IdentifierUriRow,
  KeyCredentialRow,
  PasswordCredentialRow,
} from './tables.ts'

/** The rows of an application: one for the application, and one for each of its parts. */
export type ApplicationRows = {
  readonly application: ApplicationRow
  /** Only written: the application also has its identifier URIs in its own row. */
  readonly identifier_uri?: readonly IdentifierUriRow[]
  readonly app_role: readonly AppRoleRow[]
  readonly password_credential: readonly PasswordCredentialRow[]
  readonly key_credential: readonly KeyCredentialRow[]
  readonly federated_identity_credential: readonly FederatedIdentityCredentialRow[]
}

export const partTables = [
  'app_role',
  'password_credential',
  'key_credential',
  'federated_identity_credential',
] as const

/** The rows by which an application is found by its identifier URIs. */
const identifierUriRows = ({
  id,
  tenantId,
  identifierUris,
}: Pick<Application, 'id' | 'tenantId' | 'identifierUris'>): IdentifierUriRow[] =>
  [...new Set(identifierUris.map(nameKey))].map((uri_key) => ({
    application_id: id,
    tenant_id: tenantId,
    uri_key,
  }))

const ownRow = entityRows<Application, ApplicationRow>(applicationProperties)

export function applicationToRows(application: Application): ApplicationRows {
  const place = (position: number) => ({ application_id: application.id, position })
  return {
    application: ownRow.toRow(application, nameKeys(application)),
    identifier_uri: identifierUriRows(application),
    app_role: application.appRoles.map((role, position) => ({
      ...place(position),
      id: role.id,
      allowed_member_types: JSON.stringify(role.allowedMemberTypes),
      description: role.description,
      display_name: role.displayName,
      is_enabled: Number(role.isEnabled),
      value: role.value,
    })),
    password_credential: application.passwordCredentials.map((credential, position) => ({
      ...place(position),
      tenant_id: application.tenantId,
      ...passwordCredentialToRow(credential),
    })),
    key_credential: application.keyCredentials.map((credential, position) => ({
      ...place(position),
      tenant_id: application.tenantId,
      ...keyCredentialToRow(credential),
    })),
    federated_identity_credential: application.federatedIdentityCredentials.map(
      (credential, position) => ({
        ...place(position),
        id: credential.id,
        name: credential.name,
        description: credential.description,
        issuer: credential.issuer,
        subject: credential.subject ?? '',
        audiences: JSON.stringify(credential.audiences),
        claims_matching_expression: credential.claimsMatchingExpression ?? null,
      }),
    ),
  }
}

export const applicationFromRows = (rows: ApplicationRows): Application => ({
  ...ownRow.fromRow(rows.application),
  appRoles: rows.app_role.map(appRoleFromRow),
  passwordCredentials: rows.password_credential.map(passwordCredentialFromRow),
  keyCredentials: rows.key_credential.map(keyCredentialFromRow),
  federatedIdentityCredentials: rows.federated_identity_credential.map(
    federatedIdentityCredentialFromRow,
  ),
})

const appRoleFromRow = (row: AppRoleRow): AppRole => ({
  id: row.id,
  allowedMemberTypes: JSON.parse(row.allowed_member_types),
  description: row.description,
  displayName: row.display_name,
  isEnabled: row.is_enabled === 1,
  value: row.value,
})

const federatedIdentityCredentialFromRow = (
  row: FederatedIdentityCredentialRow,
): FederatedIdentityCredential => ({
  id: row.id,
  name: row.name,
  description: row.description,
  issuer: row.issuer,
  audiences: JSON.parse(row.audiences),
  ...(row.claims_matching_expression === null
    ? { subject: row.subject }
    : { subject: null, claimsMatchingExpression: row.claims_matching_expression }),
})
