import { ClientError, type ServerErrorDetails } from '../errors.ts'
import { networkFault } from '../network-fault.ts'
import { safeCause } from '../redaction.ts'

/** Reads the error in the challenge of an API (RFC 6750 section 3). */
function readChallenge({ status, headers }: Response): ServerErrorDetails {
  const challenge = headers.get('www-authenticate') ?? ''
  const oauthError = /\berror="([a-z_]{1,64})"/.exec(challenge)?.[1]
  return { status, ...(oauthError && { oauthError }) }
}

export function tokenRejectedError(response: Response): ClientError {
  const message =
    'The API does not accept the token (HTTP status 401), and did not accept a new one'
  return new ClientError('token_rejected', message, readChallenge(response))
}

export function roleMissingError(response: Response, role: string | undefined): ClientError {
  const server = readChallenge(response)
  const message = role
    ? `The client is not allowed to do this: it lacks the application role ${role}`
    : 'The client is not allowed to do this: it lacks an application role that the API requires'
  const remedy =
    role &&
    `Grant ${role} to the client: add it to the application permissions that the client requests, then grant admin consent. A token that was issued before does not change.`
  return new ClientError('role_missing', message, { ...server, ...(role && { role }) }, { remedy })
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

export function apiUnreachableError(
  error: unknown,
  token: string,
  attempts: number,
  url: URL,
): ClientError {
  const cause = safeCause(error, [token])
  const { name: fault, detail, remedy } = networkFault(cause, url)
  const message = `The API could not be reached at ${url.origin}: ${detail}`
  return new ClientError('api_unreachable', message, { attempts, fault }, { cause, remedy })
}
