import type { RequiredRoles } from './caller.ts'

/** The roles of the server management API. Microsoft Graph has none of them. */
export const serverRoles = {
  'SigningKey.Read.All': {
    id: '5d0e7b3c-8f14-4c92-a6d1-2b9c40e8f713',
    displayName: 'Read signing keys',
    description: 'Allows the app to list the signing keys with their phases.',
  },
  'SigningKey.ReadWrite.All': {
    id: 'e2a94c68-1d57-4f0b-93b8-6c7f05d1a48e',
    displayName: 'Rotate and revoke signing keys',
    description: 'Allows the app to rotate, revoke and re-encrypt the signing keys.',
  },
  'AuditLog.Read.All': {
    id: '78c3f1d2-4a6e-4b95-8e07-d95b2c60a1f4',
    displayName: 'Read the logs',
    description: 'Allows the app to read the audit log and the sign-in log of all tenants.',
  },
  'Tenant.Read.All': {
    id: 'a6f4e0b7-52c9-4d18-b3e7-8c1d90f2657a',
    displayName: 'Read all tenants',
    description: 'Allows the app to list the tenants of this server.',
  },
  'Tenant.ReadWrite.All': {
    id: '14d8b2f5-9e60-4a7c-8f31-b05c72e9d6a3',
    displayName: 'Create and change tenants',
    description:
      'Allows the app to create and change tenants, and to create an administrator of each other tenant.',
  },
} as const

export type ServerRole = keyof typeof serverRoles

const requires = (...group: readonly ServerRole[]): RequiredRoles => [group]

export const readsKeys = requires('SigningKey.Read.All', 'SigningKey.ReadWrite.All')
export const writesKeys = requires('SigningKey.ReadWrite.All')
export const readsAudit = requires('AuditLog.Read.All')
export const readsTenants = requires('Tenant.Read.All', 'Tenant.ReadWrite.All')
export const writesTenants = requires('Tenant.ReadWrite.All')
