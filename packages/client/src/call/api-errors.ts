import { ClientError, remedies, type ServerErrorDetails } from '../errors.ts'
import { readableMessage } from '../network-fault.ts'
import { unreachableError } from '../token/token-errors.ts'

/** Reads the error in the challenge of an API (RFC 6750 section 3). */
function readChallenge({ status, headers }: Response): ServerErrorDetails {
  const challenge = headers.get('www-authenticate') ?? ''
  const oauthError = /\berror="([a-z_]{1,64})"/.exec(challenge)?.[1]
  return { status, ...(oauthError && { oauthError }) }
}

/** What the description of a challenge means: the words of this guard, and of other libraries. */
const rejections: readonly (readonly [words: RegExp, remedy: string])[] = [
  [
    /not (yet valid|valid yet)|not.?before|\bnbf\b/i,
    'The clock of the API is behind the clock of the identity provider. Set both, preferably with NTP.',
  ],
  [
    /expired/i,
    'The token was new, so the clock of the API is ahead of the clock of the identity provider. Set both, preferably with NTP.',
  ],
  [
    /issuer/i,
    'Let the API trust the issuer of this identity provider, or request the token from the one that the API trusts. "npx --no-install greeting token --decode" shows the issuer, `iss`.',
  ],
  [/tenant/i, 'Request the token from the tenant that the API trusts.'],
  [
    /audience/i,
    'Request the scope of this API: its identifier URI followed by /.default. "npx --no-install greeting token --decode" shows the audience, `aud`.',
  ],
  [
    /signature|signing key/i,
    'Check that the API reads the published keys of this identity provider, and not the keys of another one.',
  ],
]

const maxDescriptionCharacters = 200

export function tokenRejectedError(
  response: Response,
  withoutToken: (text: string) => string,
  remedyWithoutRepeat: string | undefined,
): ClientError {
  const challenge = response.headers.get('www-authenticate') ?? ''
  const [, said = ''] = /\berror_description="([^"]{1,1000})"/.exec(challenge) ?? []
  const reason = readableMessage(withoutToken(said)).slice(0, maxDescriptionCharacters)
  const end = remedyWithoutRepeat ? '' : ', and did not accept a new one'
  const message = `The API does not accept the token (HTTP status 401)${reason ? `: ${reason}` : end}`
  const remedy = remedyWithoutRepeat ?? rejections.find(([words]) => words.test(reason))?.[1]
  return new ClientError('token_rejected', message, readChallenge(response), { remedy })
}

export function roleMissingError(response: Response, role: string | undefined): ClientError {
  const server = readChallenge(response)
  const message = role
    ? `The client is not allowed to do this: it lacks the application role ${role}`
    : 'The client is not allowed to do this: it lacks an application role that the API requires'
  const remedy = role && remedies.role_missing.replace('the role', () => role)
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

export const apiUnreachableError = (error: unknown, token: string, attempts: number, url: URL) =>
  unreachableError(error, [token], attempts, url, 'api_unreachable')
