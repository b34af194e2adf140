import type { TokenRequest } from '../../issuance/token-request.ts'
import { refuseRequest } from '../refusals/request-refusal.ts'
import { readClientAuthentication } from './client-authentication.ts'
import type { Form } from './form-body.ts'
import { judgeTenantName } from './tenant-name.ts'
import type { TokenEndpointVersion } from './token-endpoint-versions.ts'

/**
 * Reads a form as a token request.
 *
 * @throws {RefusedError} with the first thing that cannot be read.
 */
export function readTokenRequest(
  version: TokenEndpointVersion,
  tenant: string,
  form: Form,
  authorization: string | undefined,
): TokenRequest {
  // 1. The tenant has a shape.
  const tenantName = judgeTenantName(tenant)

  // 2. There is one grant.
  const grant = form.get('grant_type')
  if (grant === undefined) refuseRequest({ reason: 'parameter_missing', parameter: 'grant_type' })
  if (grant !== 'client_credentials') refuseRequest({ reason: 'grant_type_unsupported', grant })

  // 3. One client, by one proof.
  const { clientId, proof } = readClientAuthentication(form, authorization)

  // 4. One resource.
  const resource = version.readResource(form)

  return { tenant: tenantName, clientId, proof, resource }
}
