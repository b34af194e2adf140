import type { ManagementApi } from './documented-roles.ts'

/** A management role in one tenant, such as `{tenant} graph Application.Read.All`. */
export type Authority = string

export const authorityOf = (tenantId: string, api: ManagementApi, role: string): Authority =>
  `${tenantId} ${api} ${role}`

/** An object that was deleted can be restored. One that was purged is forgotten. */
export type ObservedApplication = {
  readonly id: string
  readonly appId: string
  readonly homeTenantId: string
  isMultiTenant: boolean
  isDeleted: boolean
}

export type ObservedPrincipal = {
  readonly id: string
  readonly appId: string
  readonly tenantId: string
  isEnabled: boolean
  isDeleted: boolean
  /** The API that it stands for, when it is one of the management APIs. */
  readonly managementApi?: ManagementApi
}

export type ObservedAssignment = {
  readonly id: string
  readonly principalId: string
  readonly resourceId: string
  readonly tenantId: string
  /** Undefined for a role of another API. */
  readonly authority: Authority | undefined
}

/** What an attacker knows about the directory: what it created, and what the answers showed. */
export class ObservedDirectory {
  readonly applications = new Map<string, ObservedApplication>()
  readonly principals = new Map<string, ObservedPrincipal>()
  readonly assignments = new Map<string, ObservedAssignment>()

  applicationByAppId(appId: string): ObservedApplication | undefined {
    return [...this.applications.values()].find((one) => one.appId === appId)
  }

  principalsOf(appId: string): readonly ObservedPrincipal[] {
    return [...this.principals.values()].filter((one) => one.appId === appId)
  }

  /** The management roles that an application was assigned, also while an object is deleted. */
  assignedTo(appId: string): readonly Authority[] {
    return this.principalsOf(appId).flatMap((principal) => this.assignedToPrincipal(principal))
  }

  /** The management roles that count now, in one tenant. */
  activeIn(appId: string, tenantId: string): readonly Authority[] {
    if (this.applicationByAppId(appId)?.isDeleted !== false) return []
    return this.principalsOf(appId)
      .filter((one) => one.tenantId === tenantId && one.isEnabled && !one.isDeleted)
      .flatMap((principal) => this.assignedToPrincipal(principal))
  }

  /**
   * The management roles that a caller owns: those in the tenant of its token, and those in all tenants
   * for a token of the tenant of its application.
   */
  ownedBy(appId: string, tenantId: string): ReadonlySet<Authority> {
    const isHome = this.applicationByAppId(appId)?.homeTenantId === tenantId
    const tenants = isHome ? this.principalsOf(appId).map((one) => one.tenantId) : [tenantId]
    return new Set(tenants.flatMap((one) => this.activeIn(appId, one)))
  }

  /**
   * Whether a secret leads to a tenant. One of a service principal is good in its tenant only. In the
   * tenant of the application, it can add secrets of the application, which are good in all tenants.
   */
  reaches(
    secret: { readonly appId: string; readonly tenantId: string | undefined },
    tenantId: string,
  ) {
    const home = this.applicationByAppId(secret.appId)?.homeTenantId
    return secret.tenantId === undefined || secret.tenantId === home || secret.tenantId === tenantId
  }

  /** Forgets a principal with its assignments. */
  purgePrincipal(id: string): void {
    this.principals.delete(id)
    for (const one of this.assignments.values())
      if (one.principalId === id || one.resourceId === id) this.assignments.delete(one.id)
  }

  /** The management roles of one principal. A deleted one of the same application may have others. */
  assignedToPrincipal({ id }: ObservedPrincipal): readonly Authority[] {
    return [...this.assignments.values()]
      .filter((one) => one.principalId === id)
      .flatMap(({ authority }) => authority ?? [])
  }
}
