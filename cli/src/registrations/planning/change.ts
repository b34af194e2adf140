import type { AppRole } from './directory-state.ts'
import type { RegistrationStep } from './registration-step.ts'

/** A role as a step speaks of it. */
export type RoleName = { readonly id: string; readonly value: string }

/** A property of an object, before and after. */
export type PropertyChange = {
  readonly property: string
  readonly from: unknown
  readonly to: unknown
}

/** What happens to one role of an API. */
export type RoleChange = {
  readonly role: RoleName
  readonly what: 'added' | 'removed' | 'changed'
  readonly changes: readonly PropertyChange[]
}

/** The permissions of one API, by the name that the file gives it. */
export type RequestedRoles = { readonly api: string; readonly roles: readonly RoleName[] }

/** What each kind of step says besides who it is about. */
export type ChangeDetails = {
  readonly createApplication: { readonly requestedAccessTokenVersion?: number }
  readonly updateApplication: { readonly changes: readonly PropertyChange[] }
  readonly createServicePrincipal: { readonly appRoleAssignmentRequired?: boolean }
  readonly updateServicePrincipal: { readonly changes: readonly PropertyChange[] }
  /** Only a disabled role can be removed or given another value. */
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
    /** Delegated permissions, which the file does not speak of, by application id of their API. */
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
  /** The present secret stays valid until its end. */
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
  readonly deleteApplication: { readonly objectId: string; readonly appId: string }
}

export type SecretToMake = {
  readonly secret: string
  readonly lifetimeDays: number
  /** Names of the APIs that the client requests permissions of. */
  readonly apis: readonly string[]
}

export type CertificateToAdd = {
  readonly displayName: string
  readonly sha1Thumbprint: string
  readonly endDateTime: Date
  /** The certificate, DER, as base64. */
  readonly der: string
}

export type ChangeKind = keyof ChangeDetails

/** One thing that is to be done in the directory; the act says which of the six it belongs to. */
export type ChangeOf<Kind extends ChangeKind> = ChangeDetails[Kind] & {
  readonly kind: Kind
  readonly step: RegistrationStep
  /** The application that it is about, by the name that the file gives it. */
  readonly application: string
  /** Whether it takes away, or replaces, something that somebody may rely on. */
  readonly destructive: boolean
}

export type Change = { [Kind in ChangeKind]: ChangeOf<Kind> }[ChangeKind]
