import { ClientError, type ServerErrorDetails } from '../errors.ts'
import { safeCause } from '../redaction.ts'
import { aadstsRemedies } from './aadsts-remedies.ts'
import type { TokenResult } from './token-response.ts'

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

export function unusableAnswerError({ details, description, remedy }: Unusable): ClientError {
  const message = `The answer of the identity provider cannot be used: ${description}`
  return new ClientError('authority_answer_invalid', message, details, { remedy })
}

export function unreachableError(
  error: unknown,
  secrets: readonly string[],
  attempts: number,
): ClientError {
  const cause = safeCause(error, secrets)
  const message = `The identity provider could not be reached: ${rootCause(cause).message}`
  const remedy = certificateRemedy(cause)
  return new ClientError('authority_unreachable', message, { attempts }, { cause, remedy })
}

/** Words of the messages of TLS libraries about certificates, in lower case, with their remedies. */
const certificateRemedies: readonly (readonly [words: readonly string[], remedy: string])[] = [
  [
    ['certificate has expired', 'not yet valid'],
    'Compare the clock of this machine with the validity of the certificate of the server.',
  ],
  [
    ['altnames', 'hostname mismatch', 'notvalidforname'],
    'Use a name in the URL that the certificate of the server contains.',
  ],
  [
    ['certificate', 'name constraint'],
    'Let this process trust the certificate of the server: set NODE_EXTRA_CA_CERTS to the file of its authority. For a local identity provider, "greeting trust" prints the lines. Bun needs a host name in the URL, such as localhost, and not an address.',
  ],
]

/** The remedy for a certificate that this process does not trust; undefined for other faults. */
export function certificateRemedy(cause: Error): string | undefined {
  const message = rootCause(cause).message.toLowerCase()
  const isIn = (word: string) => message.includes(word)
  return certificateRemedies.find(([words]) => words.some(isIn))?.[1]
}

/** The innermost cause. It is more specific than "fetch failed". */
export function rootCause(error: Error): Error {
  return error.cause instanceof Error ? rootCause(error.cause) : error
}
