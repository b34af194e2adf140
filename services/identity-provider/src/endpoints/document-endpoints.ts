import type { Tenant } from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import type { ServerEnv } from '@greeting/http-service'
import { type Context, Hono } from 'hono'
import { createCorrelationIds } from '../dialect/correlation-ids.ts'
import {
  type DocumentTenant,
  discoveryDocumentForMcp,
  discoveryDocumentV1,
  discoveryDocumentV2,
  documentTenant,
  keySetDocumentV1,
  keySetDocumentV2,
} from '../dialect/documents/discovery-document.ts'
import { cloudMetadata, instanceDiscovery } from '../dialect/documents/instance-discovery.ts'
import { errorAnswer } from '../dialect/error-envelope.ts'
import { sharedAuthorities, tenantFormRefusal } from '../dialect/request/tenant-name.ts'
import {
  documentHeaders,
  documentRefusalHeaders,
  type HeaderRequest,
} from '../dialect/response-headers.ts'
import { Refused, type RequestRefusal, refuse } from '../refusals/refusal.ts'
import type { ServiceOptions } from './service-options.ts'

type DocumentOptions = Pick<
  ServiceOptions,
  'authority' | 'origins' | 'directory' | 'keys' | 'source' | 'log' | 'acceptsMcpClients'
>

const maxDocumentAgeSeconds = 86_400
/** Short, so that caches do not keep a revoked key. */
const maxKeySetAgeSeconds = 60

type MakeForTenant = (options: DocumentOptions, tenant: DocumentTenant) => object

const tenantDocuments: Readonly<Record<string, MakeForTenant>> = {
  '/v2.0/.well-known/openid-configuration': ({ authority, acceptsMcpClients }, tenant) =>
    (acceptsMcpClients ? discoveryDocumentForMcp : discoveryDocumentV2)(authority, tenant),
  '/.well-known/openid-configuration': ({ authority }, tenant) =>
    discoveryDocumentV1(authority, tenant),
  '/discovery/v2.0/keys': ({ authority, keys }, tenant) =>
    keySetDocumentV2(keys.published(), authority, tenant),
  '/discovery/keys': ({ keys }) => keySetDocumentV1(keys.published()),
}

/** Serves the documents for clients and verifiers: discovery, metadata and key sets. */
export function documentEndpoints(options: DocumentOptions): Hono<ServerEnv> {
  const { authority } = options
  const app = new Hono<ServerEnv>()
  const serve = (path: string, maxAgeSeconds: number, make: Make) =>
    app
      .get(path, (context) => answer(context, options, maxAgeSeconds, make))
      .options(path, (context) => {
        const headers = documentHeaders(0, headerRequest(context, options))
        return new Response(null, { status: 204, headers })
      })

  const ownHosts = options.origins.map((origin) => new URL(origin).host)
  serve('/common/discovery/instance', maxDocumentAgeSeconds, ({ req }) =>
    instanceDiscovery(new URL(req.url).searchParams, ownHosts),
  )
  serve('/metadata/endpoints', maxDocumentAgeSeconds, ({ req }) =>
    cloudMetadata(authority.authUrl, req.query('api-version')),
  )
  const serveTenant = (path: string, make: MakeForTenant) => {
    const hasKeys = path.includes('keys')
    serve(path, hasKeys ? maxKeySetAgeSeconds : maxDocumentAgeSeconds, async (context) => {
      const read = hasKeys ? options.keys.refreshIfOld?.() : undefined
      const [tenant] = await Promise.all([tenantOf(context, options), read])
      return tenant instanceof Refused ? tenant : make(options, tenant)
    })
  }
  for (const [path, make] of Object.entries(tenantDocuments)) serveTenant(`/:tenant${path}`, make)
  if (options.acceptsMcpClients) {
    // RFC 8414 section 3.1: the well-known path stands before the path of the issuer.
    serveTenant('/.well-known/oauth-authorization-server/:tenant/v2.0', (_, tenant) =>
      discoveryDocumentForMcp(authority, tenant),
    )
  }
  return app
}

type Document = object | Refused<RequestRefusal>
type Make = (context: Context<ServerEnv>) => Document | Promise<Document>

async function answer(
  context: Context<ServerEnv>,
  options: DocumentOptions,
  maxAgeSeconds: number,
  make: Make,
): Promise<Response> {
  try {
    const document = await make(context)
    if (document instanceof Refused) return answerRefusal(context, options, document.refusal)
    const headers = documentHeaders(maxAgeSeconds, headerRequest(context, options))
    return new Response(JSON.stringify(document), { headers })
  } catch (cause) {
    const reason = cause instanceof StorageUnavailableError ? 'unavailable' : 'internal'
    return answerRefusal(context, options, { reason }, cause)
  }
}

function answerRefusal(
  context: Context<ServerEnv>,
  options: DocumentOptions,
  refusal: RequestRefusal,
  cause?: unknown,
): Response {
  const { authority, log } = options
  const request = headerRequest(context, options)
  const { ids } = request
  if (cause !== undefined)
    log.error({ err: cause, traceId: ids.traceId }, 'document request failed')
  const { status, body } = errorAnswer(refusal, ids, authority.authUrl)
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...documentRefusalHeaders(request),
      ...(status === 503 && { 'retry-after': '1' }),
    },
  })
}

function headerRequest(
  { req }: Context<ServerEnv>,
  { source }: Pick<DocumentOptions, 'source'>,
): HeaderRequest {
  const inHeader = req.header('client-request-id')
  const sent = [inHeader, req.query('client-request-id')]
  const ids = createCorrelationIds(sent, source.now(), source.newGuid)
  return { ids, echoesClientRequestId: ids.correlationId === inHeader }
}

/** The tenant of a document. Endpoints in the document always name the tenant by its id. */
async function tenantOf(
  { req }: Context<ServerEnv>,
  { directory }: DocumentOptions,
): Promise<DocumentTenant | Refused<RequestRefusal>> {
  const name = req.param('tenant') ?? ''
  if (sharedAuthorities.has(name.toLowerCase())) return documentTenant(name.toLowerCase(), true)
  const refused = tenantFormRefusal(name)
  if (refused !== undefined) return refused
  const tenant = await tenantForDocuments(directory, name)
  if (tenant === undefined || !tenant.isEnabled)
    return refuse({ reason: 'tenant_unknown_at_discovery', tenant: name })
  return documentTenant(tenant.id, false)
}

/**
 * While the store is unavailable, no token is issued, but issued tokens stay valid. So verifiers get
 * documents of the last known directory.
 */
async function tenantForDocuments(
  directory: DocumentOptions['directory'],
  name: string,
): Promise<Tenant | undefined> {
  try {
    return await directory.read((current) => current.tenant(name))
  } catch (cause) {
    // A tenant whose documents or tokens were requested before is in memory.
    const known =
      cause instanceof StorageUnavailableError
        ? directory.readLastKnown?.((current) => current.tenant(name))
        : undefined
    if (known === undefined) throw cause
    return known.result
  }
}
