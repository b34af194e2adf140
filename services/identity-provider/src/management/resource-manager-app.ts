// The lists of Azure Resource Manager that a login reads.

import { domainsOf, type Runtime, resourceManagerAppId, type Tenant } from '@greeting/directory'
import { type DirectoryStore, StorageUnavailableError } from '@greeting/directory/live'
import { type Context, Hono } from 'hono'
import { subscriptionsPath, tenantsPath } from './operations/management-paths.ts'
import { type Authenticate, currentRoles } from './privileges/caller.ts'
import { GraphError, type RequestIds, refuse } from './refusals/graph-error.ts'
import { refusalRow } from './refusals/refusals.ts'

export type ResourceManagerOptions = {
  /** The public URL of the server, without a slash at its end. */
  readonly authUrl: string
  readonly authenticate: Authenticate
  readonly store: Pick<DirectoryStore, 'read'>
  readonly report: (error: unknown, ids: RequestIds) => void
  readonly runtime: Pick<Runtime, 'now' | 'newGuid'>
}

/** An answer of Azure Resource Manager. */
type Answer = { readonly status: number; readonly body: object }

const apiVersion = /^\d{4}-\d{2}-\d{2}(-preview)?$/

/**
 * Creates the part of Azure Resource Manager that a login needs: the list of subscriptions, which
 * is empty, and the caller's tenant.
 *
 * @see https://learn.microsoft.com/rest/api/resources/subscriptions/list
 * @see https://learn.microsoft.com/rest/api/resources/tenants/list
 */
export function createResourceManagerApp(options: ResourceManagerOptions): Hono {
  return new Hono()
    .get(subscriptionsPath, (context) =>
      answerList(context, options, () => ({ value: [], count: { type: 'Total', value: 0 } })),
    )
    .get(tenantsPath, (context) =>
      answerList(context, options, (tenant) => ({ value: [tenantJson(tenant)] })),
    )
}

const tenantJson = (tenant: Tenant) => ({
  id: `/tenants/${tenant.id}`,
  tenantId: tenant.id,
  displayName: tenant.displayName,
  defaultDomain: domainsOf(tenant)[0],
  domains: domainsOf(tenant),
  tenantCategory: 'Home',
})

async function answerList(
  { req, env }: Context,
  options: ResourceManagerOptions,
  list: (tenant: Tenant) => object,
): Promise<Response> {
  const { runtime, report, authUrl } = options
  const requestId = runtime.newGuid()
  const respond = ({ status, body }: Answer) =>
    Response.json(body, {
      status,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-ms-request-id': requestId,
        ...(status === 401 && { 'www-authenticate': challenge(authUrl) }),
        ...(status === 503 && { 'retry-after': '1' }),
      },
    })
  try {
    const caller = await options.authenticate(req.raw, env)
    const version = req.query('api-version')
    if (version === undefined || !apiVersion.test(version)) return respond(versionRefusal(version))
    const tenant = await options.store.read((directory) => {
      // A token is valid for up to an hour, and its client may be disabled meanwhile.
      currentRoles(directory, caller, resourceManagerAppId)
      return directory.tenant(caller.tenantId)
    })
    if (tenant === undefined) throw refuse('caller_unknown')
    return respond({ status: 200, body: list(tenant) })
  } catch (error) {
    if (!(error instanceof GraphError))
      report(error, { requestId, clientRequestId: requestId, at: runtime.now() })
    return respond(refusalOf(error))
  }
}

const challenge = (authUrl: string) =>
  `Bearer authorization_uri="${authUrl}/", error="invalid_token"`

const errorAnswer = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
})

const versionRefusal = (version: string | undefined) =>
  version === undefined
    ? errorAnswer(
        400,
        'MissingApiVersionParameter',
        'The api-version query parameter (?api-version=) is required for all requests.',
      )
    : errorAnswer(
        400,
        'InvalidApiVersionParameter',
        "The api-version must be of the form 'yyyy-MM-dd' or 'yyyy-MM-dd-preview'.",
      )

/** The refusal of a request, in the words of Azure Resource Manager where they are known. */
function refusalOf(error: unknown): Answer {
  if (!(error instanceof GraphError)) {
    return error instanceof StorageUnavailableError
      ? errorAnswer(503, 'ServerUnavailable', 'The directory does not respond. Try again.')
      : errorAnswer(500, 'InternalServerError', 'The request could not be answered.')
  }
  if (error.refusal === 'token_missing') {
    const message = "Authentication failed. The 'Authorization' header is missing."
    return errorAnswer(401, 'AuthenticationFailed', message)
  }
  return errorAnswer(refusalRow(error.refusal).status, 'InvalidAuthenticationToken', error.message)
}
