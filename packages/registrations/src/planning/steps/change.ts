// Folder: The changes of a plan, by kind.

import type { ComparedValues } from '../../compared-properties.ts'
import type { AppRole, FederatedIdentityCredential } from '../../directory/directory-state.ts'
import type { RegistrationStep } from '../../explaining/explanation.ts'
import type { FederatedEntry } from '../../registrations-file.ts'

export type RoleName = { readonly id: string; readonly value: string }

/** A property of an object, before and after. */
export type PropertyChange = {
  readonly property: string
  readonly from: unknown
  readonly to: unknown
}

export type RoleChange = {
  readonly role: RoleName
  readonly what: 'added' | 'removed' | 'changed'
  readonly changes: readonly PropertyChange[]
}

/** The permissions of an API, with the API's name in the file. */
export type RequestedRoles = { readonly api: string; readonly roles: readonly RoleName[] }

/** The members of each kind of change, besides its application. */
type ChangeDetails = {
  /** With sponsors, it is a blueprint. */
  readonly createApplication: ComparedValues & { readonly sponsors?: readonly string[] }
  readonly updateApplication: { readonly changes: readonly PropertyChange[] }
  readonly createServicePrincipal: ComparedValues
  readonly updateServicePrincipal: { readonly changes: readonly PropertyChange[] }
  /** Only a disabled role can be removed or get another value. */
  readonly disableAppRoles: {
    readonly disabled: readonly RoleName[]
    readonly roles: readonly AppRole[]
  }
  readonly setAppRoles: {
    readonly changes: readonly RoleChange[]
    readonly roles: readonly AppRole[]
  }
  readonly setPermissions: {
    readonly added: readonly RequestedRoles[]
    readonly removed: readonly RequestedRoles[]
    readonly permissions: readonly RequestedRoles[]
    /** Delegated permissions, by application ID of their API. The file does not describe them. */
    readonly delegated: readonly {
      readonly resourceAppId: string
      readonly ids: readonly string[]
    }[]
  }
  readonly grantConsent: { readonly api: string; readonly role: RoleName }
  readonly revokeConsent: {
    readonly api: string
    readonly role: RoleName
    readonly servicePrincipalId: string
    readonly assignmentId: string
  }
  readonly createSecret: SecretToMake & { readonly reason?: string }
  /** The current secret stays valid until its end. */
  readonly rotateSecret: SecretToMake & { readonly reason: string }
  readonly removeSecret: {
    readonly secret: string
    readonly keyId: string
    readonly hint: string
    readonly endDateTime: Date
    readonly reason: string
  }
  readonly setCertificates: {
    readonly added: readonly CertificateToAdd[]
    readonly removed: readonly { readonly displayName: string; readonly keyId: string }[]
    readonly keptKeyIds: readonly string[]
  }
  readonly setFederatedCredentials: {
    readonly added: readonly FederatedEntry[]
    readonly removed: readonly FederatedIdentityCredential[]
  }
  /** Whether the agents of a blueprint inherit its roles at an API. */
  readonly setInheritance: {
    readonly api: string
    /** The application ID of an API that need not be in the file. */
    readonly resourceAppId?: string
    readonly isNew: boolean
    readonly roles: 'allAllowed' | 'none'
  }
  readonly createAgent: { readonly blueprint: string; readonly sponsors: readonly string[] }
  readonly deleteAgent: { readonly blueprint: string; readonly objectId: string }
  readonly deleteApplication: { readonly objectId: string; readonly appId: string }
}

type SecretToMake = {
  readonly secret: string
  readonly lifetimeDays: number
  /** Names of the APIs of which the client requests permissions. */
  readonly apis: readonly string[]
}

export type CertificateToAdd = {
  readonly displayName: string
  readonly sha1Thumbprint: string
  readonly startDateTime: Date
  readonly endDateTime: Date
  /** The certificate: DER in base64. */
  readonly der: string
}

export type ChangeKind = keyof ChangeDetails

/** One planned change of the directory, with its registration step. */
export type ChangeOf<Kind extends ChangeKind> = ChangeDetails[Kind] & {
  readonly kind: Kind
  readonly step: RegistrationStep
  /** The application that it changes, by its name in the file. */
  readonly application: string
  /** Whether it removes or replaces something that a client may use. */
  readonly destructive: boolean
}

export type Change = { [Kind in ChangeKind]: ChangeOf<Kind> }[ChangeKind]
