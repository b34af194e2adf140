import { emptyGuid, isGuid } from '@greeting/directory'
import { percentDecode } from '@greeting/http-service'
import { readAssertion } from '../../issuance/assertion.ts'
import type { ClientAuthentication, TokenRequest } from '../../issuance/token-request.ts'
import { Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'
import type { Form } from './form-body.ts'

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Reads the client id and the client authentication of a token request.
 *
 * @param authorization the header of that name, if there is one
 * @param tlsThumbprint SHA-256 of the client's certificate in TLS, in base64url; it counts only when
 *   the request contains no other credential
 * @param acceptsMcpClients whether the assertion may name the client alone: RFC 7521 section 4.2
 * @returns both, or a refusal: `parameter_missing`, `client_id_malformed`, `client_ids_differ`, `basic_malformed`,
 *   `several_client_authentications`, `client_authentication_missing` or `assertion_type_unknown`
 * @see RFC 6749 section 2.3, RFC 7521 section 4.2
 */
export function readClientAuthentication(
  form: Form,
  authorization: string | undefined,
  tlsThumbprint?: string,
  acceptsMcpClients = false,
): Pick<TokenRequest, 'clientId' | 'authentication'> | Refused<RequestRefusal> {
  const basic = authorization === undefined ? undefined : readBasic(authorization)
  if (basic instanceof Refused) return basic
  const named = form.get('client_id') ?? basic?.clientId
  const clientId = named ?? (acceptsMcpClients ? clientOfAssertion(form) : undefined)
  if (clientId === undefined) return refuse({ reason: 'parameter_missing', parameter: 'client_id' })
  if (!isPlausibleClientId(clientId)) return refuse({ reason: 'client_id_malformed', clientId })
  if (basic !== undefined && basic.clientId.toLowerCase() !== clientId.toLowerCase())
    return refuse({ reason: 'client_ids_differ' })
  const authentication = readCredential(form, basic?.secret, tlsThumbprint)
  if (authentication instanceof Refused) return authentication
  return { clientId: isGuid(clientId) ? clientId.toLowerCase() : clientId, authentication }
}

/** The client ID of a request that was refused before it was read; undefined if it has no plausible one. */
export function clientIdOf(form: Form | undefined, authorization = ''): string | undefined {
  const basic = readBasic(authorization)
  const named = form?.get('client_id') ?? (basic instanceof Refused ? undefined : basic.clientId)
  if (named === undefined || !isPlausibleClientId(named)) return undefined
  return isGuid(named) ? named.toLowerCase() : named
}

/** The client that an assertion names as its issuer and subject; undefined for any other assertion. */
function clientOfAssertion(form: Form): string | undefined {
  const assertion = readAssertion(form.get('client_assertion') ?? '')
  if (assertion instanceof Refused || assertion.issuer !== assertion.subject) return undefined
  return assertion.subject
}

/** Whether a text can be a client ID. An unknown ID is logged and recorded, so it is short and plain. */
const isPlausibleClientId = (text: string) =>
  text !== emptyGuid && /^[a-z\d][\w.-]{0,99}$/i.test(text)

function readCredential(
  form: Form,
  basicSecret: string | undefined,
  tlsThumbprint: string | undefined,
): ClientAuthentication | Refused<RequestRefusal> {
  const formSecret = form.get('client_secret')
  const assertion = form.get('client_assertion')
  const sent = [basicSecret, formSecret, assertion].filter((one) => one !== undefined)
  if (sent.length > 1) return refuse({ reason: 'several_client_authentications' })
  if (assertion !== undefined) {
    const type = form.get('client_assertion_type')
    if (type === undefined)
      return refuse({ reason: 'parameter_missing', parameter: 'client_assertion_type' })
    if (type !== jwtBearer) return refuse({ reason: 'assertion_type_unknown' })
    return { method: 'assertion', assertion }
  }
  const secret = formSecret ?? basicSecret
  if (secret === undefined && tlsThumbprint !== undefined)
    return { method: 'tls', sha256Thumbprint: tlsThumbprint }
  if (secret === undefined || secret === '')
    return refuse({ reason: 'client_authentication_missing' })
  return { method: 'secret', secret }
}

/** Both parts are percent-encoded before they are joined, because a client id may contain a colon. */
function readBasic(
  authorization: string,
): { readonly clientId: string; readonly secret: string } | Refused<RequestRefusal> {
  const [, credentials] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const pair = credentials && Buffer.from(credentials, 'base64').toString('latin1')
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0) return refuse({ reason: 'basic_malformed' })
  const clientId = percentDecode(pair.slice(0, colon))
  const secret = percentDecode(pair.slice(colon + 1))
  if (clientId === undefined || secret === undefined) return refuse({ reason: 'basic_malformed' })
  return { clientId, secret }
}
