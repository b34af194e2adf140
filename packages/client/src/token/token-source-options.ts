import type { Credential } from '../credentials/credential.ts'
import type { OnEvent, Trace } from '../hooks.ts'
import { secureUrl, tenantUrl } from '../http/secure-url.ts'
import {
  aFunction,
  anObject,
  integerBetween,
  nonEmptyString,
  numberBetween,
  type OptionRules,
  objectWith,
  required,
  validateOptions,
} from '../option-rules.ts'
import type { Runtime } from '../runtime.ts'
import type { TokenCache } from './token-cache.ts'

/** The options of `createTokenSource`. */
export type TokenSourceOptions = {
  /** URL of the tenant at the authorization server; the token endpoint is `{authority}/oauth2/v2.0/token`. */
  readonly authority?: string
  /** URL of the token endpoint, in place of `authority`. */
  readonly tokenEndpoint?: string
  /** Application ID of the client. */
  readonly clientId: string
  /** How the client authenticates, such as `clientSecret(...)` or `clientCertificate(...)`. */
  readonly credential: Credential
  /** The scope of the API: its identifier URI followed by `/.default`. */
  readonly scope: string
  /** The minimum remaining lifetime of a returned token, in seconds: 0 to 3600, default 30. */
  readonly marginSeconds?: number
  /** The deadline of `token()` with its retries, in milliseconds: 1 to 600000, default 10000. */
  readonly deadlineMs?: number
  /** The timeout of one token request, in milliseconds: 1 to 600000, default 5000. */
  readonly attemptTimeoutMs?: number
  /**
   * The token requests that this process sends to the identity provider at a time, over all its token
   * sources: 1 to 1000, default 16. More requests wait, until their deadline.
   */
  readonly maxRequestsInFlight?: number
  /** A cache that processes share. None by default. */
  readonly cache?: TokenCache
  /** Receives events for logs and metrics. */
  readonly onEvent?: OnEvent
  /** Runs every request within a span. */
  readonly trace?: Trace
  /** Replaces clocks, `fetch`, sleep or randomness. */
  readonly runtime?: Partial<Runtime>
}

/** The options of a token source that do not name the server or the scope. */
export type SourceOptions = Omit<TokenSourceOptions, 'authority' | 'tokenEndpoint' | 'scope'>

export const sourceRules: OptionRules<SourceOptions> = {
  clientId: required(nonEmptyString),
  credential: required(objectWith('authentications', 'identity')),
  marginSeconds: numberBetween(0, 3600),
  deadlineMs: numberBetween(1, 600_000),
  attemptTimeoutMs: numberBetween(1, 600_000),
  maxRequestsInFlight: integerBetween(1, 1000),
  cache: objectWith('get', 'set'),
  onEvent: aFunction,
  trace: aFunction,
  runtime: anObject,
}

const rules: OptionRules<TokenSourceOptions> = {
  authority: tenantUrl,
  tokenEndpoint: secureUrl,
  scope: required(nonEmptyString),
  ...sourceRules,
}

/** Validates the options, and checks that the credential belongs to the client. */
export function validateSource<Options extends SourceOptions>(
  caller: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  validateOptions(caller, options, rules)
  const { clientId, credential } = options
  if (credential.clientId !== undefined && credential.clientId !== clientId)
    throw new TypeError(`${caller}: \`clientId\` must be the client of the credential`)
}

/**
 * Validates the options of a token source, and returns the URL of its token endpoint.
 *
 * @throws {TypeError} lists every invalid option
 */
export function tokenEndpointOf(options: TokenSourceOptions): string {
  validateSource('createTokenSource', options, rules)
  const { authority, tokenEndpoint } = options
  if (authority !== undefined && tokenEndpoint === undefined)
    return `${authority.replace(/\/$/, '')}/oauth2/v2.0/token`
  if (tokenEndpoint !== undefined && authority === undefined) return tokenEndpoint
  throw new TypeError(
    'createTokenSource: either `authority` or `tokenEndpoint` is required, and not both',
  )
}
