import type { AppRole } from '../../src/directory/application/app-role.ts'
import type { Application } from '../../src/directory/application/application.ts'
import { newApplication } from '../../src/directory/application/application.ts'
import type { AppRoleAssignment } from '../../src/directory/service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from '../../src/directory/service-principal/service-principal.ts'
import type { Tenant } from '../../src/directory/tenant.ts'

const createdDateTime = new Date('2026-01-02T03:04:05Z')

/** A GUID that is easy to recognize in a failure: `guid(7)` ends in 7. */
export const guid = (number: number): string =>
  `11111111-2222-4333-8444-${number.toString(16).padStart(12, '0')}`

export const tenant = (part: Partial<Tenant> = {}): Tenant => ({
  id: guid(1),
  displayName: 'Contoso',
  domains: ['contoso.example'],
  isEnabled: true,
  createdDateTime,
  ...part,
})

export const appRole = (part: Partial<AppRole> = {}): AppRole => ({
  id: guid(0x51),
  allowedMemberTypes: ['Application'],
  description: 'May call hi.',
  displayName: 'Call hi',
  isEnabled: true,
  value: 'CallHiApiRole',
  ...part,
})

export const application = (part: Partial<Application> = {}): Application =>
  newApplication({
    id: guid(0xa),
    tenantId: guid(1),
    appId: guid(0xa0),
    displayName: 'Greeting API',
    createdDateTime,
    ...part,
  })

export const servicePrincipal = (part: Partial<ServicePrincipal> = {}): ServicePrincipal => ({
  id: guid(0xb),
  tenantId: guid(1),
  appId: guid(0xa0),
  displayName: 'Greeting API',
  createdDateTime,
  deletedDateTime: null,
  accountEnabled: true,
  appRoleAssignmentRequired: false,
  passwordCredentials: [],
  keyCredentials: [],
  delegatedConsents: [],
  ownerIds: [],
  inertProperties: {},
  ...part,
})

export const appRoleAssignment = (part: Partial<AppRoleAssignment> = {}): AppRoleAssignment => ({
  id: guid(0xc),
  tenantId: guid(1),
  principalId: guid(0xb1),
  resourceId: guid(0xb),
  appRoleId: guid(0x51),
  createdDateTime,
  ...part,
})
