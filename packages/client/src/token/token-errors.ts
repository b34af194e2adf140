import { ClientError, type ServerErrorDetails } from '../errors.ts'
import { networkFault } from '../network-fault.ts'
import { safeCause } from '../redaction.ts'
import type { TokenResult } from './token-response.ts'

const scopeRemedy = 'The scope must be the identifier URI of the API followed by /.default.'

/** Remedies for the most frequent errors of Microsoft Entra ID. */
const aadstsRemedies: Readonly<Record<number, string>> = {
  7000215:
    "Use the secret's value, not its id, and check that it is a secret of this client. A new secret may take some seconds to work everywhere.",
  7000222: 'The client secret has expired. Create a new one for this client, and use it.',
  7000216: 'Use a client secret, a certificate or a federated assertion.',
  700016: 'Check the client ID and the tenant. The client is not registered in this tenant.',
  7000112: 'The client is disabled. Ask an administrator to enable its service principal.',
  700027: 'Register the certificate for this client, or use the registered one.',
  700024:
    'Set the clock of this machine, or read a new token of the issuer. The assertion was outside its time range.',
  70025: 'Register a federated identity credential for this client.',
  70023: 'Request a federated token that is valid for at most 25 hours.',
  7000272: 'Publish the signing key of the federated token in the key set of its issuer.',
  501661: 'Make the issuer of the federated token reachable for the identity provider.',
  70021: 'Register a federated identity credential with exactly this issuer, subject and audience.',
  700211: 'Register a federated identity credential with exactly this issuer.',
  700212: 'Request the federated token for the audience of the federated identity credential.',
  700213: 'Register a federated identity credential with exactly this subject.',
  7002138: 'Write the subject of the federated identity credential in the case of this text.',
  700229: 'Use the token of a managed identity, or of an application itself, as the assertion.',
  700231: 'Use a credential of its own for this client. A federated one cannot follow another one.',
  82001:
    'A blueprint has tokens for Microsoft Graph only. Request the token of one of its agents with agentIdentity().',
  82008: 'Request the token of an agent with agentIdentity(), because this client is a blueprint.',
  7000229: 'Ask an administrator to create the service principal of this client in the tenant.',
  1000502: 'Replace the certificate. It has expired, or is not valid yet.',
  500011:
    'Check the scope. The API is not registered in this tenant, or has no service principal there.',
  501051:
    'Grant this client a role of the API: add it to the application permissions that the client requests, then grant admin consent.',
  1002012: scopeRemedy,
  70011: scopeRemedy,
  901002: 'Set `resourceParameter` of mcpAuth() to never.',
  9010010:
    "Set `resourceParameter` of mcpAuth() to never, or make the server's URL an identifier URI of the API.",
  90002:
    'Check the tenant ID and the URL of the identity provider. The tenant does not exist there.',
  900023: 'The tenant must be a GUID or a domain name.',
}

const otherRemedy =
  'Check the host and the port in the URL of the identity provider, and that no proxy answers instead. An API has another URL.'

type Refused = Extract<TokenResult, { kind: 'refused' }>
type Unavailable = Extract<TokenResult, { kind: 'unavailable' }>
type Unusable = Extract<TokenResult, { kind: 'unusable' }>

const remedyOf = ({ aadstsCode }: ServerErrorDetails) => aadstsRemedies[aadstsCode ?? 0]

export function refusedError({ details, description }: Refused): ClientError {
  const [code, refused] =
    details.oauthError === 'invalid_client'
      ? (['credential_refused', 'credential'] as const)
      : (['token_refused', 'token request'] as const)
  const message = `The identity provider refused the ${refused}: ${description}`
  return new ClientError(code, message, details, { remedy: remedyOf(details) })
}

export function unavailableError(result: Unavailable, attempts: number): ClientError {
  const { details: server, description, retryAfterMs } = result
  const details = { ...server, attempts, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const message = `The identity provider could not answer: ${description}`
  return new ClientError('authority_unreachable', message, details, { remedy: remedyOf(server) })
}

export function unusableAnswerError(
  { details, description, remedy, isOther }: Unusable,
  url: string,
): ClientError {
  if (isOther) {
    const message = `There is no identity provider at ${new URL(url).origin}: its response is not an OAuth response (HTTP status ${details.status})`
    return new ClientError('authority_unreachable', message, details, { remedy: otherRemedy })
  }
  const message = `The response of the identity provider cannot be used: ${description}`
  return new ClientError('authority_answer_invalid', message, details, { remedy })
}

/** The error for a failed connection to the identity provider or to an API. */
export function unreachableError(
  error: unknown,
  secrets: readonly string[],
  attempts: number,
  url?: URL,
  code: 'authority_unreachable' | 'api_unreachable' = 'authority_unreachable',
): ClientError {
  const cause = safeCause(error, secrets)
  const { name: fault, detail, remedy } = networkFault(cause, url)
  const server = code === 'api_unreachable' ? 'API' : 'identity provider'
  const where = url ? ` at ${url.origin}` : ''
  const message = `The ${server} could not be reached${where}: ${detail}`
  return new ClientError(code, message, { attempts, fault }, { cause, remedy })
}
