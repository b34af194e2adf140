// Folder: The token request as a form, in both versions of the endpoint.

import { isGuid } from '@greeting/directory'
import type { TokenRequest } from '../../issuance/token-request.ts'
import { Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'
import { readClientAuthentication } from './client-authentication.ts'
import type { Form } from './form-body.ts'
import { tenantNameRefusal } from './tenant-name.ts'
import type { TokenEndpointVersion } from './token-endpoint-versions.ts'

/**
 * Reads a form as a token request.
 *
 * @param authorization the header of that name, if there is one
 * @param tlsThumbprint SHA-256 of the client's certificate in TLS, if there is one
 * @param acceptsMcpClients whether the client or the scope may be left out, as by MCP clients
 * @returns the request, or the refusal of the first part that cannot be read
 */
export function readTokenRequest(
  version: TokenEndpointVersion,
  tenant: string,
  form: Form,
  authorization: string | undefined,
  tlsThumbprint?: string,
  acceptsMcpClients = false,
): TokenRequest | Refused<RequestRefusal> {
  // 1. The tenant has a valid form.
  const refused = tenantNameRefusal(tenant)
  if (refused?.refusal.reason === 'tenant_missing' && version.hasScope && form.has('resource'))
    return refuse({ reason: 'resource_parameter_unsupported' })
  if (refused !== undefined) return refused

  // 2. The grant type is client_credentials.
  const grant = form.get('grant_type')
  if (grant === undefined) return refuse({ reason: 'parameter_missing', parameter: 'grant_type' })
  if (grant.toLowerCase() !== 'client_credentials')
    return refuse({ reason: 'grant_type_unsupported', grant })

  // 3. One client, which authenticates by one method.
  const client = readClientAuthentication(form, authorization, tlsThumbprint, acceptsMcpClients)
  if (client instanceof Refused) return client

  // 4. One resource.
  const resource = version.readResource(form, acceptsMcpClients)
  if (resource instanceof Refused) return resource

  // 5. No other token than this server issues.
  const unsupported = unsupportedParameterRefusal(form)
  if (unsupported !== undefined) return unsupported

  // 6. The agent of a blueprint, and what the client is capable of.
  const fmiPath = form.get('fmi_path')
  const capabilities = capabilitiesOf(form.get('claims'))
  return {
    tenant,
    ...client,
    ...resource,
    ...(fmiPath !== undefined && { fmiPath }),
    ...(capabilities.length > 0 && { capabilities }),
  }
}

type Row = {
  readonly parameter: string
  readonly isUnderstood: (value: string) => boolean
  readonly refusal: RequestRefusal
}

/** The parameters that ask for another token than this server issues. Unknown parameters are ignored. */
const rows: readonly Row[] = [
  {
    parameter: 'claims',
    // The claims themselves are voluntary: OpenID Connect Core section 5.5.1.
    isUnderstood: (value) => readJsonObject(value) !== undefined,
    refusal: { reason: 'claims_parameter_malformed' },
  },
  {
    parameter: 'token_type',
    isUnderstood: (value) => value.toLowerCase() === 'bearer',
    refusal: { reason: 'token_type_unsupported' },
  },
  ...[
    { parameter: 'req_cnf', isUnderstood: () => false },
    // Other paths of Entra ID lead to other kinds of identities.
    { parameter: 'fmi_path', isUnderstood: isGuid },
  ].map(
    (row): Row => ({
      ...row,
      refusal: { reason: 'parameter_unsupported', parameter: row.parameter },
    }),
  ),
]

/**
 * Refuses a request for a token that would silently be another one: bound to a key, or for an agent.
 *
 * @returns the refusal of the first such parameter; undefined without one
 */
function unsupportedParameterRefusal(form: Form): Refused<RequestRefusal> | undefined {
  const row = rows.find(({ parameter, isUnderstood }) => {
    const value = form.get(parameter)
    return value !== undefined && !isUnderstood(value)
  })
  return row && refuse(row.refusal)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The known capabilities in the parameter `claims`, as the client writes them (entra E258). */
function capabilitiesOf(claims: string | undefined): readonly string[] {
  const requested = claims === undefined ? undefined : readJsonObject(claims)?.access_token
  const capability = isObject(requested) ? requested.xms_cc : undefined
  const values: unknown = isObject(capability) ? capability.values : undefined
  return Array.isArray(values) ? values.filter(isKnownCapability).slice(0, 1) : []
}

const isKnownCapability = (value: unknown): value is string =>
  typeof value === 'string' && value.toLowerCase() === 'cp1'
