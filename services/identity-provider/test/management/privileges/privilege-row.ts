import type { RefusalName } from '../../../src/management/refusals/refusals.ts'

/** The objects of operations, in the words of the reference page. */
export const targets = {
  tenantWide: 'everything of its tenant',
  parts: 'requests, each with its own row of this table',
  user: 'a signed-in user',
  fresh: 'a new object',
  plain: 'a client without management roles',
  peer: 'a client with the management roles of the caller',
  more: 'a client with a management role that the caller lacks',
  elsewhere: 'an application with management roles in another tenant',
  offered: 'an application that another tenant offers',
  agent: 'an agent identity, or its blueprint',
  agentMore: 'an agent identity with a management role that the caller lacks, or its blueprint',
  parent: 'the principal of a blueprint',
  parentMore:
    'the principal of a blueprint of which an agent has a management role that the caller lacks',
  api: 'a management API',
  foreign: 'an object of another tenant',
  roleOfApi: 'a role of another API',
  ownRole: 'a management role of the caller',
  lackedRole: 'a management role that the caller lacks',
  outsider: 'a client of another tenant',
  keys: 'the signing keys, which all tenants have in common',
  audit: 'the records of all tenants',
  chosenId: 'a tenant with an id that the caller chooses',
  allTenants: 'all tenants',
  ownTenant: "the caller's own tenant",
  ownTenantDisabled: "disabling the caller's own tenant",
  otherTenant: 'another tenant',
  ownerTenant: 'the tenant that owns the management APIs',
} as const

export type Target = keyof typeof targets
export type Outcome = 'allowed' | RefusalName
export type Row = { readonly [Which in Target]?: Outcome }
