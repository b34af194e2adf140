import { ClientError, type ServerWords } from '../errors.ts'
import { safeCause } from '../redaction.ts'
import { innermost } from '../token/token-errors.ts'

/** What an API says about a refusal in its challenge (RFC 6750, section 3). */
export function wordsOfChallenge({ status, headers }: Response): ServerWords {
  const challenge = headers.get('www-authenticate') ?? ''
  const oauthError = /\berror="([a-z_]{1,64})"/.exec(challenge)?.[1]
  return { status, ...(oauthError && { oauthError }) }
}

export function tokenRejectedError(response: Response): ClientError {
  const message =
    'The API does not accept the token (HTTP status 401), nor one that was obtained anew'
  return new ClientError('token_rejected', message, wordsOfChallenge(response))
}

export function roleMissingError(response: Response, role: string | undefined): ClientError {
  const words = wordsOfChallenge(response)
  const message = role
    ? `The client is not allowed to do this: it lacks the application role ${role}`
    : 'The client is not allowed to do this: it lacks an application role that the API demands'
  const remedy =
    role &&
    `Grant ${role} to the client: add it to the application permissions that the client requests, then grant admin consent. A token that was issued before does not change.`
  return new ClientError('role_missing', message, { ...words, ...(role && { role }) }, { remedy })
}

export function apiUnavailableError(
  { status }: Response,
  attempts: number,
  retryAfterMs: number | undefined,
): ClientError {
  const message = `The API could not answer (HTTP status ${status})`
  const details = { status, attempts, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  return new ClientError('api_unreachable', message, details)
}

export function apiUnreachableError(error: unknown, token: string, attempts: number): ClientError {
  const cause = safeCause(error, [token])
  const message = `The API could not be reached: ${innermost(cause).message}`
  return new ClientError('api_unreachable', message, { attempts }, { cause })
}
