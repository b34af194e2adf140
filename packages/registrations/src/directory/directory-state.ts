// Folder: The directory as Microsoft Graph shows it: what a plan and an explanation read.

import { z } from 'zod'
import { comparedMembers } from '../compared-properties.ts'

const guid = z.guid().toLowerCase()
const dateTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const text = z.string().nullish()
const etag = z.string().optional()

const appRole = z.object({
  id: guid,
  value: text,
  displayName: text,
  description: text,
  isEnabled: z.boolean(),
  allowedMemberTypes: z.array(z.string()),
})

const requiredResourceAccess = z.object({
  resourceAppId: guid,
  resourceAccess: z.array(z.object({ id: guid, type: z.string() })),
})

const passwordCredential = z.object({
  keyId: guid,
  displayName: text,
  hint: text,
  startDateTime: dateTime,
  endDateTime: dateTime,
})

const keyCredential = z.object({
  keyId: guid,
  displayName: text,
  /** SHA-1 thumbprint of the certificate, in hexadecimal digits or base64. */
  customKeyIdentifier: text,
  type: text,
  usage: text,
  startDateTime: dateTime,
  endDateTime: dateTime,
})

export const federatedIdentityCredential = z.object({
  id: z.string(),
  name: text,
  issuer: text,
  subject: text,
  audiences: z.array(z.string()).optional(),
})

/** An API, and whether the agents of a blueprint inherit its roles. */
export const inheritablePermission = z.object({
  resourceAppId: guid,
  inheritableRoles: z.object({ kind: text }).nullish(),
})

/** A person or a program that owns an object. Entra ID lets an owner change the object without any role. */
export const owner = z.object({
  id: guid,
  displayName: text,
  /** The application ID, if the owner is a service principal. */
  appId: guid.nullish(),
})

/** The properties of an application that a plan compares. Other properties are not changed. */
export const application = z.object({
  '@odata.etag': etag,
  '@odata.type': text,
  id: guid,
  appId: guid,
  displayName: z.string(),
  uniqueName: text,
  createdDateTime: dateTime.nullish(),
  identifierUris: z.array(z.string()).default([]),
  ...comparedMembers('application'),
  appRoles: z.array(appRole).default([]),
  requiredResourceAccess: z.array(requiredResourceAccess).default([]),
  passwordCredentials: z.array(passwordCredential).default([]),
  keyCredentials: z.array(keyCredential).default([]),
  /** Microsoft Graph lists these, owners and inheritable permissions by separate requests only. */
  federatedIdentityCredentials: z.array(federatedIdentityCredential).default([]),
  owners: z.array(owner).optional(),
  inheritablePermissions: z.array(inheritablePermission).optional(),
  sponsors: z.array(owner).optional(),
})

/** True if an application is the blueprint of agent identities. */
export const isBlueprint = (one: Pick<Application, '@odata.type'>): boolean =>
  one['@odata.type']?.toLowerCase() === '#microsoft.graph.agentidentityblueprint'

/** An application ID. Microsoft Graph may leave it empty for an agent, whose object ID is its client ID. */
export const principalAppId = guid
  .or(z.literal(''))
  .nullish()
  .transform((id) => id ?? '')

export const servicePrincipal = z.object({
  '@odata.etag': etag,
  id: guid,
  appId: principalAppId,
  displayName: z.string(),
  accountEnabled: z.boolean().nullish(),
  ...comparedMembers('servicePrincipal'),
  /** The application ID of the blueprint of an agent identity. */
  agentIdentityBlueprintId: guid.nullish(),
  servicePrincipalNames: z.array(z.string()).default([]),
  /** The roles of its application, which may belong to another tenant. */
  appRoles: z.array(appRole).default([]),
  /** Credentials that authenticate its application in this tenant only. */
  passwordCredentials: z.array(passwordCredential).optional(),
  keyCredentials: z.array(keyCredential).optional(),
  owners: z.array(owner).optional(),
})

export const appRoleAssignment = z.object({
  id: z.string(),
  principalId: guid,
  resourceId: guid,
  appRoleId: guid,
  createdDateTime: dateTime.nullish(),
})

export type RequiredResourceAccess = z.output<typeof requiredResourceAccess>
export type AppRole = z.output<typeof appRole>
export type InheritablePermission = z.output<typeof inheritablePermission>
export type FederatedIdentityCredential = z.output<typeof federatedIdentityCredential>
export type Application = z.output<typeof application>
export type ServicePrincipal = z.output<typeof servicePrincipal>
export type AppRoleAssignment = z.output<typeof appRoleAssignment>
export type PasswordCredential = z.output<typeof passwordCredential>
export type KeyCredential = z.output<typeof keyCredential>
export type Owner = z.output<typeof owner>

/** The part of a tenant's directory to which a file refers, at one time. */
export type DirectoryState = {
  readonly tenantId: string
  readonly applications: readonly Application[]
  readonly servicePrincipals: readonly ServicePrincipal[]
  /** App role assignments, the objects that admin consent creates. */
  readonly assignments: readonly AppRoleAssignment[]
}

/** The app role ID of an assignment without a role. */
export const defaultAccessRoleId = '00000000-0000-0000-0000-000000000000'
