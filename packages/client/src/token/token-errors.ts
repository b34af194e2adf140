import { ClientError, type ServerErrorDetails } from '../errors.ts'
import { networkFault } from '../network-fault.ts'
import { safeCause } from '../redaction.ts'
import { aadstsRemedies } from './aadsts-remedies.ts'
import type { TokenResult } from './token-response.ts'

/** Remedies for the most frequent errors of Microsoft Entra ID. */
const remedies: Readonly<Record<number, string>> = {
  ...aadstsRemedies,
  70021: 'Register a federated identity credential with exactly this issuer, subject and audience.',
}

const otherRemedy =
  'Check the host and the port in the URL of the identity provider, and that no proxy answers instead. An API has another URL.'

type Refused = Extract<TokenResult, { kind: 'refused' }>
type Unavailable = Extract<TokenResult, { kind: 'unavailable' }>
type Unusable = Extract<TokenResult, { kind: 'unusable' }>

const remedyOf = ({ aadstsCode }: ServerErrorDetails) => remedies[aadstsCode ?? 0]

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
