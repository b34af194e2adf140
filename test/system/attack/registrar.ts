import type { ManagementApi, Role } from './documented-roles.ts'
import type { Credential, ManagementClient } from './management-client.ts'
import {
  authorityOf,
  type ObservedApplication,
  ObservedDirectory,
  type ObservedPrincipal,
} from './observed-directory.ts'

/** A credential of an application. */
export type Key = {
  readonly appId: string
  readonly credential: Credential
  /** The only tenant that it was made for; undefined for all. */
  readonly tenantId: string | undefined
}

/** An application with all roles of Microsoft Graph in one tenant. */
export type Administrator = {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

const managementApis: Readonly<Record<string, ManagementApi>> = {
  'Microsoft Graph': 'graph',
  'Greeting Management': 'server',
}

/** Registers what a scene needs, as the administrators of its tenants. */
export class Registrar {
  readonly directory = new ObservedDirectory()
  readonly #client: ManagementClient
  readonly #roles: Readonly<Record<ManagementApi, readonly Role[]>>
  readonly #tokens = new Map<string, string>()

  constructor(client: ManagementClient, roles: Readonly<Record<ManagementApi, readonly Role[]>>) {
    this.#client = client
    this.#roles = roles
  }

  async #tokenOf(api: ManagementApi, { tenantId, clientId, clientSecret }: Administrator) {
    const token = await this.#client.token(tenantId, api, clientId, clientSecret)
    if (token === undefined) throw new Error(`the administrator of ${tenantId} gets no token`)
    return token
  }

  async #send(token: string | undefined, method: string, path: string, body?: object) {
    const reply = await this.#client.send(method, path, token, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }

  async createTenant(server: Administrator, displayName: string): Promise<Administrator> {
    const token = await this.#tokenOf('server', server)
    const reply = await this.#send(token, 'POST', '/management/tenants', { displayName })
    const { id, administrator } = reply as { id: string; administrator: Administrator }
    return { ...administrator, tenantId: id }
  }

  /** Keeps the token of an administrator, and observes the management APIs in its tenant. */
  async enter(administrator: Administrator): Promise<void> {
    const { tenantId } = administrator
    this.#tokens.set(tenantId, await this.#tokenOf('graph', administrator))
    for (const [name, managementApi] of Object.entries(managementApis)) {
      const path = `/v1.0/servicePrincipals?$filter=displayName eq '${name}'`
      const reply = await this.#send(this.#tokens.get(tenantId), 'GET', path)
      for (const { id, appId } of reply.value as { id: string; appId: string }[])
        this.#observe({ id, appId, tenantId, isEnabled: true, isDeleted: false, managementApi })
    }
  }

  async addApplication(
    homeTenantId: string,
    properties: object = {},
  ): Promise<ObservedApplication> {
    const body = { displayName: 'Client', ...properties }
    const reply = await this.#send(
      this.#tokens.get(homeTenantId),
      'POST',
      '/v1.0/applications',
      body,
    )
    const { id, appId } = reply as { id: string; appId: string }
    const isMultiTenant = 'signInAudience' in properties
    const application = { id, appId, homeTenantId, isMultiTenant, isDeleted: false }
    this.directory.applications.set(id, application)
    await this.addPrincipal(homeTenantId, appId)
    return application
  }

  async changeApplication({ id, homeTenantId }: ObservedApplication, body: object): Promise<void> {
    await this.#send(this.#tokens.get(homeTenantId), 'PATCH', `/v1.0/applications/${id}`, body)
  }

  async addPrincipal(tenantId: string, appId: string): Promise<void> {
    const token = this.#tokens.get(tenantId)
    const reply = await this.#send(token, 'POST', '/v1.0/servicePrincipals', { appId })
    const { id } = reply as { id: string }
    this.#observe({ id, appId, tenantId, isEnabled: true, isDeleted: false })
  }

  /** @param ofPrincipal whether the secret is for this tenant only */
  async addSecret(appId: string, tenantId: string, ofPrincipal = false): Promise<Key> {
    const kind = ofPrincipal ? 'servicePrincipals' : 'applications'
    const path = `/v1.0/${kind}(appId='${appId}')/addPassword`
    const reply = await this.#send(this.#tokens.get(tenantId), 'POST', path, {})
    return {
      appId,
      credential: `${reply.secretText}`,
      tenantId: ofPrincipal ? tenantId : undefined,
    }
  }

  /** @param api a management API, or the application ID of another one */
  async assign(
    tenantId: string,
    api: string,
    appId: string,
    roles: readonly Role[],
  ): Promise<void> {
    const near = [...this.directory.principals.values()].filter((one) => one.tenantId === tenantId)
    const client = near.find((one) => one.appId === appId)
    const resource = near.find((one) => one.managementApi === api || one.appId === api)
    if (!client || !resource) throw new Error(`${appId} or ${api} is not in ${tenantId}`)
    const [principalId, resourceId, { managementApi }] = [client.id, resource.id, resource]
    for (const { id: appRoleId, name } of roles) {
      const path = `/v1.0/servicePrincipals/${resourceId}/appRoleAssignedTo`
      const body = { principalId, resourceId, appRoleId }
      const { id } = await this.#send(this.#tokens.get(tenantId), 'POST', path, body)
      const authority = managementApi && authorityOf(tenantId, managementApi, name)
      const one = { id: `${id}`, principalId, resourceId, tenantId, authority }
      this.directory.assignments.set(one.id, one)
    }
  }

  /** Reads an application and its principals in all tenants again, as their administrators. */
  async observe(homeTenantId: string, appId: string): Promise<void> {
    const key = `(appId='${appId}')`
    const read = (tenantId: string, path: string) =>
      this.#client.send('GET', `/v1.0${path}`, this.#tokens.get(tenantId))
    const { status, body } = await read(homeTenantId, `/applications${key}`)
    const known = this.directory.applicationByAppId(appId)
    if (known) known.isDeleted = status === 404
    else if (status === 200) {
      const one = { appId, homeTenantId, isMultiTenant: false, isDeleted: false }
      this.directory.applications.set(`${body.id}`, { ...one, id: `${body.id}` })
    }
    for (const tenantId of this.#tokens.keys()) {
      const reply = await read(tenantId, `/servicePrincipals${key}`)
      // A tenant can have a deleted one and the new one.
      for (const one of this.directory.principalsOf(appId))
        if (one.tenantId === tenantId) one.isDeleted = one.id !== reply.body.id
      if (reply.status !== 200) continue
      const { id, accountEnabled } = reply.body as { id: string; accountEnabled: boolean }
      this.#observe({ id, appId, tenantId, isEnabled: accountEnabled, isDeleted: false })
      const { body: list } = await read(tenantId, `/servicePrincipals/${id}/appRoleAssignments`)
      this.#observeAssignments(tenantId, id, list.value as Record<string, string>[])
    }
  }

  #observeAssignments(tenantId: string, principalId: string, list: Record<string, string>[]): void {
    for (const one of this.directory.assignments.values())
      if (one.principalId === principalId) this.directory.assignments.delete(one.id)
    for (const { id = '', resourceId = '', appRoleId } of list) {
      const api = this.directory.principals.get(resourceId)?.managementApi
      const role = api && this.#roles[api].find((known) => known.id === appRoleId)
      const authority = role && api && authorityOf(tenantId, api, role.name)
      this.directory.assignments.set(id, { id, principalId, resourceId, tenantId, authority })
    }
  }

  #observe(principal: ObservedPrincipal): void {
    this.directory.principals.set(principal.id, principal)
  }
}
