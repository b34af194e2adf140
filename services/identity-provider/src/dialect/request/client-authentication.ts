import { isGuid } from '../../directory/guid.ts'
import type { ClientAuthentication } from '../../issuance/token-request.ts'
import { refuseRequest } from '../refusals/request-refusal.ts'
import { decode, type Form } from './form-body.ts'

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Reads who the client says it is, and by which one proof.
 *
 * @param authorization The header of that name, when there is one.
 * @throws {RefusedError} parameter_missing, client_id_malformed, client_ids_differ, basic_malformed,
 *   several_client_authentications, client_authentication_missing, assertion_type_unknown
 * @see RFC 6749 §2.3, RFC 7521 §4.2
 */
export function readClientAuthentication(
  form: Form,
  authorization: string | undefined,
): { readonly clientId: string; readonly proof: ClientAuthentication } {
  const basic = authorization === undefined ? undefined : readBasic(authorization)
  const inForm = form.get('client_id')
  const clientId = inForm ?? basic?.clientId
  if (clientId === undefined)
    return refuseRequest({ reason: 'parameter_missing', parameter: 'client_id' })
  if (!isGuid(clientId) || /^[0-]+$/.test(clientId))
    refuseRequest({ reason: 'client_id_malformed', clientId })
  if (basic !== undefined && basic.clientId.toLowerCase() !== clientId.toLowerCase())
    refuseRequest({ reason: 'client_ids_differ' })
  return { clientId: clientId.toLowerCase(), proof: readProof(form, basic?.secret) }
}

function readProof(form: Form, basicSecret: string | undefined): ClientAuthentication {
  const secret = form.get('client_secret')
  const assertion = form.get('client_assertion')
  const given = [basicSecret, secret, assertion].filter((one) => one !== undefined)
  if (given.length > 1) refuseRequest({ reason: 'several_client_authentications' })
  if (assertion !== undefined) {
    const type = form.get('client_assertion_type')
    if (type === undefined)
      refuseRequest({ reason: 'parameter_missing', parameter: 'client_assertion_type' })
    if (type !== jwtBearer) refuseRequest({ reason: 'assertion_type_unknown' })
    return { method: 'assertion', assertion }
  }
  const found = secret ?? basicSecret
  if (found === undefined || found === '')
    return refuseRequest({ reason: 'client_authentication_missing' })
  return { method: 'secret', secret: found }
}

/** Both halves are URL-encoded before they are joined: a client id may contain a colon. */
function readBasic(authorization: string): { clientId: string; secret: string } {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const pair = credentials && Buffer.from(credentials, 'base64').toString('latin1')
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0) return refuseRequest({ reason: 'basic_malformed' })
  try {
    return { clientId: decode(pair.slice(0, colon)), secret: decode(pair.slice(colon + 1)) }
  } catch (cause) {
    return refuseRequest({ reason: 'basic_malformed' }, { cause })
  }
}
