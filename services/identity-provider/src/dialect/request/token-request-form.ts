// Folder: The token request as a form, in both versions of the endpoint.

import { Refused } from '../../issuance/refusal.ts'
import type { TokenRequest } from '../../issuance/token-request.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'
import { readClientAuthentication } from './client-authentication.ts'
import type { Form } from './form-body.ts'
import { tenantNameRefusal } from './tenant-name.ts'
import type { TokenEndpointVersion } from './token-endpoint-versions.ts'
import { unsupportedParameterRefusal } from './unsupported-parameters.ts'

/**
 * Reads a form as a token request.
 *
 * @param authorization the header of that name, if there is one
 * @param tlsThumbprint SHA-256 of the client's certificate in TLS, if there is one
 * @returns the request, or the refusal of the first part that cannot be read
 */
export function readTokenRequest(
  version: TokenEndpointVersion,
  tenant: string,
  form: Form,
  authorization: string | undefined,
  tlsThumbprint?: string,
): TokenRequest | Refused<RequestRefusal> {
  // 1. The tenant has a valid form.
  const refused = tenantNameRefusal(tenant)
  if (refused !== undefined) return refused

  // 2. The grant type is client_credentials.
  const grant = form.get('grant_type')
  if (grant === undefined) {
    return refuseRequest({ reason: 'parameter_missing', parameter: 'grant_type' })
  }
  if (grant !== 'client_credentials') {
    return refuseRequest({ reason: 'grant_type_unsupported', grant })
  }

  // 3. One client, which authenticates by one method.
  const client = readClientAuthentication(form, authorization, tlsThumbprint)
  if (client instanceof Refused) return client

  // 4. One resource.
  const resource = version.readResource(form)
  if (resource instanceof Refused) return resource

  // 5. No other token than this server issues.
  return unsupportedParameterRefusal(form) ?? { tenant, ...client, resource }
}
