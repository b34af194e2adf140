import { type Context, Hono } from 'hono'
import { createCorrelationIds } from '../dialect/correlation-ids.ts'
import { authorizationServerMetadata } from '../dialect/documents/authorization-server-metadata.ts'
import { cloudMetadata } from '../dialect/documents/cloud-metadata.ts'
import {
  type DocumentTenant,
  discoveryDocumentV1,
  discoveryDocumentV2,
  documentTenant,
} from '../dialect/documents/discovery-document.ts'
import { instanceDiscovery } from '../dialect/documents/instance-discovery.ts'
import { keySetDocumentV1, keySetDocumentV2 } from '../dialect/documents/key-set-document.ts'
import { errorEnvelope } from '../dialect/refusals/error-envelope.ts'
import { rowOf } from '../dialect/refusals/refusal-table.ts'
import { type RequestRefusal, refuseRequest } from '../dialect/refusals/request-refusal.ts'
import { judgeTenantShape, sharedAuthorities } from '../dialect/request/tenant-name.ts'
import { documentHeaders, tokenResponseHeaders } from '../dialect/response-headers.ts'
import type { Directory } from '../directory/directory.ts'
import { RefusedError } from '../issuance/refusal.ts'
import { StorageUnavailableError } from '../storage/storage-unavailable-error.ts'
import type { ServerEnv } from './server-env.ts'
import type { ServiceOptions } from './service-options.ts'

type DocumentOptions = Pick<ServiceOptions, 'authority' | 'directory' | 'keys' | 'source' | 'log'>

const dayInSeconds = 86_400
/** A revoked key shall not be kept alive by caches in between. */
const keySetSeconds = 60

/** The documents that are below a tenant, by path. */
const tenantDocuments: Readonly<
  Record<string, (options: DocumentOptions, tenant: DocumentTenant) => object>
> = {
  '/v2.0/.well-known/openid-configuration': ({ authority }, tenant) =>
    discoveryDocumentV2(authority, tenant),
  '/.well-known/openid-configuration': ({ authority }, tenant) =>
    discoveryDocumentV1(authority, tenant),
  '/discovery/v2.0/keys': ({ authority, keys }, tenant) =>
    keySetDocumentV2(keys.published(), authority, tenant),
  '/discovery/keys': ({ keys }) => keySetDocumentV1(keys.published()),
}

/** Serves everything that clients and verifiers read about this server. */
export function documentEndpoints(options: DocumentOptions): Hono<ServerEnv> {
  const { authority } = options
  const app = new Hono<ServerEnv>()
  const serve = (path: string, maxAgeSeconds: number, make: Make) =>
    app
      .get(path, (context) => answer(context, options, maxAgeSeconds, make))
      .options(path, () => new Response(null, { status: 204, headers: documentHeaders(0) }))

  const ownHost = new URL(authority.authUrl).host
  serve('/common/discovery/instance', dayInSeconds, ({ req }) =>
    instanceDiscovery(new URL(req.url).searchParams, [ownHost]),
  )
  serve('/metadata/endpoints', dayInSeconds, () => cloudMetadata(authority.authUrl))
  for (const [path, version] of [
    ['/.well-known/oauth-authorization-server/:tenant', '1.0'],
    ['/.well-known/oauth-authorization-server/:tenant/v2.0', '2.0'],
  ] as const)
    serve(path, dayInSeconds, async (context) =>
      authorizationServerMetadata(authority, (await tenantOf(context, options)).inPath, version),
    )
  for (const [path, make] of Object.entries(tenantDocuments))
    serve(
      `/:tenant${path}`,
      path.includes('keys') ? keySetSeconds : dayInSeconds,
      async (context) => make(options, await tenantOf(context, options)),
    )
  return app
}

type Make = (context: Context<ServerEnv>) => object | Promise<object>

async function answer(
  context: Context<ServerEnv>,
  { authority, source, log }: DocumentOptions,
  maxAgeSeconds: number,
  make: Make,
): Promise<Response> {
  try {
    const document = await make(context)
    return new Response(JSON.stringify(document), { headers: documentHeaders(maxAgeSeconds) })
  } catch (cause) {
    const { req } = context
    const ids = [req.header('client-request-id'), req.query('client-request-id')]
    const trace = createCorrelationIds(ids, source.now(), source.newGuid)
    const refusal = refusalOf(cause)
    if (refusal.reason === 'internal' || refusal.reason === 'unavailable')
      log.error({ err: cause, traceId: trace.traceId }, 'a document could not be served')
    const { status } = rowOf(refusal)
    return new Response(JSON.stringify(errorEnvelope(refusal, trace, authority.authUrl)), {
      status,
      headers: {
        ...tokenResponseHeaders(trace, false),
        'access-control-allow-origin': '*',
        ...(status === 503 && { 'retry-after': '1' }),
      },
    })
  }
}

function refusalOf(cause: unknown): RequestRefusal {
  if (cause instanceof RefusedError) return cause.refusal
  if (cause instanceof StorageUnavailableError) return { reason: 'unavailable' }
  return { reason: 'internal' }
}

/** Whom a document is for; endpoints in it name the tenant by its id, whatever the request did. */
async function tenantOf(
  { req }: Context<ServerEnv>,
  { directory }: DocumentOptions,
): Promise<DocumentTenant> {
  const name = req.param('tenant') ?? ''
  if (sharedAuthorities.has(name.toLowerCase())) return documentTenant(name.toLowerCase(), true)
  judgeTenantShape(name)
  const tenant = (await directoryForDocuments(directory)).tenant(name)
  if (tenant === undefined || !tenant.isEnabled)
    return refuseRequest({ reason: 'tenant_unknown_at_discovery', tenant: name })
  return documentTenant(tenant.id, false)
}

/**
 * While the store is away nothing is issued, but tokens that were are good: verifiers are better
 * served with what was last known than with nothing.
 */
async function directoryForDocuments(directory: DocumentOptions['directory']): Promise<Directory> {
  try {
    return await directory.read()
  } catch (cause) {
    if (cause instanceof StorageUnavailableError && directory.lastKnown) return directory.lastKnown
    throw cause
  }
}
