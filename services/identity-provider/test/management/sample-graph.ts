import {
  type DirectoryChange,
  graphAppId,
  newAppRoleAssignment,
  put,
  systemRuntime,
} from '@greeting/directory'
import type { AuditRecord } from '@greeting/directory/audit'
import { DirectoryStore } from '@greeting/directory/live'
import type { Hono } from 'hono'
import {
  MemoryDirectoryLog,
  type SavedLog,
} from '../../../../test/fixtures/directory/memory-directory-log.ts'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { planBootstrap } from '../../src/management/bootstrap/bootstrap-plan.ts'
import {
  createGraphApp,
  type GraphAppOptions,
} from '../../src/management/graph/graph-operations.ts'
import { apisOfEveryTenant } from '../../src/management/privileges/built-in-apis.ts'
import type { Authenticate } from '../../src/management/privileges/caller.ts'
import { type GraphRole, graphRoles } from '../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../src/management/privileges/server-roles.ts'
import { refuse } from '../../src/management/refusals/graph-error.ts'

export const contoso = tenant()
export const fabrikam = tenant({
  id: guid(2),
  displayName: 'Fabrikam',
  domains: ['fabrikam.example'],
  createdDateTime: new Date('2026-01-03T00:00:00Z'),
})

const everyRole = [...Object.keys(graphRoles), ...Object.keys(serverRoles)]

export const allGraphRoles = Object.keys(graphRoles) as GraphRole[]

/** The parts of a response that tests check. */
export type Body = {
  readonly [name: string]: unknown
  readonly id: string
  readonly appId: string
  readonly keyId: string
  readonly secretText: string
  readonly value: readonly Body[]
  readonly '@odata.etag': string
  readonly '@odata.nextLink': string
  readonly error: { readonly code: string; readonly message: string }
}

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Body }

type Send = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** A client of the management API with some of its roles. */
export type GraphClient = Record<'get' | 'post' | 'patch' | 'delete', Send> & {
  readonly appId: string
  readonly principalId: string
}

/** The directory of `sampleGraph`, made once in a process. */
let twoTenants: Promise<SavedLog> | undefined

/** A management API with two tenants, over a directory in memory. */
export async function sampleGraph(part: Partial<GraphAppOptions> = {}) {
  if (part.store !== undefined) return withTwoTenants(sampleGraphOver(part))
  twoTenants ??= withTwoTenants(sampleGraphOver()).then(({ log }) => log.save())
  return sampleGraphOver(part, await twoTenants)
}

async function withTwoTenants(sample: ReturnType<typeof sampleGraphOver>) {
  await sample.commit(put('tenant', contoso), put('tenant', fabrikam))
  await sample.commit(...(await sample.plan()).changes)
  return sample
}

/** Creates the management API of `sampleGraph` over a directory that already has the two tenants. */
export function sampleGraphOver(part: Partial<GraphAppOptions> = {}, saved?: SavedLog) {
  const log = new MemoryDirectoryLog(saved)
  const clock = { now: new Date('2026-02-01T12:00:00Z') }
  const runtime = { ...systemRuntime, now: () => clock.now }
  const store = part.store ?? new DirectoryStore({ log })
  // A directory in memory is complete. Another store is read.
  const whole = () => (part.store === undefined ? log.directory : wholeDirectory(store))
  const commit = (...changes: DirectoryChange[]) =>
    store.update(() => ({ changes, audit: [], result: undefined }))
  const plan = async (anotherAdministrator = false) => {
    const directory = await whole()
    const survey = directory.surveyTenants([...apisOfEveryTenant])
    return planBootstrap(directory, { firstTenant: contoso, survey, anotherAdministrator }, runtime)
  }

  const refusals: AuditRecord[] = []
  const reports: unknown[] = []
  const lastUses = new Map<string, Date>()
  const app = createGraphApp({
    baseUrl: 'https://login.example',
    store,
    credentialUses: {
      record: async () => {},
      lastUses: async (keyIds) =>
        new Map([...lastUses].filter(([keyId]) => keyIds.includes(keyId))),
    },
    authenticate: believe,
    recordRefusal: (record) => refusals.push(record),
    report: (error) => reports.push(error),
    runtime,
    ...part,
  })

  const request = requestsTo(app, '/v1.0')

  /** Sends requests as an application, in a tenant with its service principal. */
  function actAs(tenantId: string, appId: string, send = request) {
    const authorization = `Bearer ${tenantId}:${appId}`
    const sendBy = (method: string) => (path: string, body?: unknown, headers?: object) =>
      send(method, path, body, { authorization, ...headers })
    return {
      get: sendBy('GET'),
      post: sendBy('POST'),
      patch: sendBy('PATCH'),
      delete: sendBy('DELETE'),
    }
  }

  /** Creates a client with these roles of an API; default: of Microsoft Graph. */
  async function clientWith(
    roles: readonly string[],
    { id: tenantId } = contoso,
    apiAppId = graphAppId,
    send = request,
  ): Promise<GraphClient> {
    const created = { createdDateTime: contoso.createdDateTime, tenantId, displayName: 'Caller' }
    const appId = crypto.randomUUID()
    const self = application({ ...created, id: crypto.randomUUID(), appId })
    const principal = servicePrincipal({ ...created, id: crypto.randomUUID(), appId })
    const directory = await whole()
    const api = directory.servicePrincipalByAppId(tenantId, apiAppId)
    const declared = directory.applicationByAppId(apiAppId)?.appRoles ?? []
    const assignments = declared
      .filter(({ value }) => roles.includes(value ?? ''))
      .map(({ id }) => newAppRoleAssignment(principal, api ?? principal, id, runtime))
    await commit(
      put('application', self),
      put('servicePrincipal', principal),
      ...assignments.map((assignment) => put('appRoleAssignment', assignment)),
    )
    return { appId, principalId: principal.id, ...actAs(tenantId, appId, send) }
  }

  /** Creates another administrator, with every role of both management APIs. */
  async function anotherAdministrator() {
    const { administrator, changes } = await plan(true)
    await commit(...changes)
    const appId = administrator?.clientId ?? ''
    const principal = (await whole()).servicePrincipalByAppId(contoso.id, appId)
    return { appId, principalId: principal?.id ?? '', ...actAs(contoso.id, appId) }
  }

  return {
    actAs,
    anotherAdministrator,
    app,
    clientWith,
    clock,
    commit,
    lastUses,
    log,
    plan,
    refusals,
    reports,
    request,
    runtime,
    store,
  }
}

/** Sends requests to an app, by its paths and by the links in its responses. */
export const requestsTo =
  (app: Hono, mountedAt: string) =>
  async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Reply> => {
    const { pathname, search } = new URL(path, 'https://login.example')
    const inner = pathname.startsWith(mountedAt) ? pathname.slice(mountedAt.length) : pathname
    const response = await app.request(inner + search, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' || text.startsWith('<?xml') ? {} : JSON.parse(text),
    }
  }

/** A fake authentication that trusts the client with every role. The directory limits the roles. */
export const believe: Authenticate = async ({ headers }) => {
  const [, tenantId, applicationId] =
    /^Bearer (\S+):(\S+)$/.exec(headers.get('authorization') ?? '') ?? []
  if (tenantId === undefined || applicationId === undefined) throw refuse('token_missing')
  return { tenantId, applicationId, roles: everyRole }
}
