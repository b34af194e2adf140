import { ClientError, type ServerWords } from '../errors.ts'
import { safeCause } from '../redaction.ts'
import { aadstsRemedies } from './aadsts-remedies.ts'
import type { TokenResult } from './token-response.ts'

type Refused = Extract<TokenResult, { kind: 'refused' }>
type Unavailable = Extract<TokenResult, { kind: 'unavailable' }>
type Nonsense = Extract<TokenResult, { kind: 'nonsense' }>

const remedyOf = ({ aadstsCode }: ServerWords) => aadstsRemedies[aadstsCode ?? 0]

export function refusedError({ words, sentence }: Refused): ClientError {
  const [code, what] =
    words.oauthError === 'invalid_client'
      ? (['credential_refused', 'credential'] as const)
      : (['token_refused', 'token request'] as const)
  const message = `The identity provider refused the ${what}: ${sentence}`
  return new ClientError(code, message, words, { remedy: remedyOf(words) })
}

export function unavailableError(verdict: Unavailable, attempts: number): ClientError {
  const { words, sentence, retryAfterMs } = verdict
  const details = { ...words, attempts, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const message = `The identity provider could not answer: ${sentence}`
  return new ClientError('authority_unreachable', message, details, { remedy: remedyOf(words) })
}

export function nonsenseError({ words, sentence }: Nonsense): ClientError {
  const message = `The answer of the identity provider cannot be used: ${sentence}`
  return new ClientError('authority_answer_invalid', message, words)
}

export function unreachableError(
  error: unknown,
  secrets: readonly string[],
  attempts: number,
): ClientError {
  const cause = safeCause(error, secrets)
  const message = `The identity provider could not be reached: ${innermost(cause).message}`
  return new ClientError('authority_unreachable', message, { attempts }, { cause })
}

/** The first cause of all, which says more than "fetch failed". */
export function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error
}
