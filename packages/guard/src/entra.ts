import * as z from 'zod'
import type { GuardOptions } from './guard-options.ts'
import type { PublishedKeys } from './keys/local-key-source.ts'
import { type Accepts, publishedKeys, type TrustedIssuer, validate } from './options-schema.ts'

const guid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a GUID in lower case')

const baseUrl = z
  .string()
  .regex(
    /^https?:\/\/[^\s?#@]*[^\s?#@/]$/,
    'must be a URL without a slash, query or fragment at its end',
  )

// As in the client: plain http is for this machine only.
const authUrl = z
  .string()
  .refine(
    (text) =>
      /^https?:\/\/[^\s/?#@]+$/.test(text) &&
      (URL.parse(text)?.protocol === 'https:' || isLoopback(text)),
    'must be an https URL (http only for localhost) without a tenant, another path or a slash at its end',
  )

/** True for a URL of this machine: `localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback(url: string): boolean {
  // The parser writes every form of an IPv4 address as four decimal numbers.
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
}

const tokenVersion = z.enum(['1.0', '2.0'])

/** Without the options of a guard, which it validates itself. */
const entraOptions = z
  .object(
    {
      tenantId: guid,
      apiApplicationId: guid,
      authUrl: authUrl.default('https://login.microsoftonline.com'),
      issuerUrl: baseUrl.optional(),
      keySetUrl: baseUrl.optional(),
      keys: publishedKeys.optional(),
      tokenVersions: z.array(tokenVersion).min(1).default(['1.0', '2.0']),
    },
    // JavaScript may pass nothing, or something else.
    { error: 'must be an object with tenantId, apiApplicationId and roles' },
  )
  .refine(({ keySetUrl, keys }) => keySetUrl === undefined || keys === undefined, {
    error: 'must not have both keySetUrl and keys',
  })

type ValidatedEntraOptions = z.output<typeof entraOptions>
type TokenVersion = '1.0' | '2.0'

/** The differences between the token versions. */
const versions: Readonly<Record<TokenVersion, (options: ValidatedEntraOptions) => TrustedIssuer>> =
  {
    '1.0': ({ tenantId, apiApplicationId, authUrl, issuerUrl, keySetUrl, keys }) => ({
      // A local identity provider is its own issuer. That of a tenant is always at Entra ID.
      issuer: `${issuerUrl ?? (isLoopback(authUrl) ? authUrl : 'https://sts.windows.net')}/${tenantId}/`,
      audiences: [`api://${apiApplicationId}`],
      tenantId,
      ...(keys ? { keys } : { keySetUrl: keySetUrl ?? `${authUrl}/${tenantId}/discovery/keys` }),
      tokenVersion: '1.0',
      claims: { applicationId: 'appid', tokenId: 'uti' },
    }),
    '2.0': ({ tenantId, apiApplicationId, authUrl, keySetUrl, keys }) => ({
      issuer: `${authUrl}/${tenantId}/v2.0`,
      audiences: [apiApplicationId],
      tenantId,
      ...(keys
        ? { keys }
        : { keySetUrl: keySetUrl ?? `${authUrl}/${tenantId}/discovery/v2.0/keys` }),
      tokenVersion: '2.0',
      claims: { applicationId: 'azp', tokenId: 'uti' },
    }),
  }

/** What names an API at Entra ID, and where its tokens come from. */
type EntraPlaces = {
  /** The directory (tenant) ID, a GUID in lower case. Required. */
  readonly tenantId: string
  /** The application ID of the API's registration, a GUID in lower case. Required. */
  readonly apiApplicationId: string
  /**
   * The URL of the identity provider, without a path: by default
   * `https://login.microsoftonline.com`. One on this machine is its own issuer, and may have http.
   */
  readonly authUrl?: string | undefined
  /**
   * The issuer of v1.0 tokens, without the tenant: by default `https://sts.windows.net`, or `authUrl`
   * if that is on this machine (127.0.0.0/8, `::1` or `localhost`).
   */
  readonly issuerUrl?: string | undefined
  /** The URL of the key set: by default below `authUrl`, where each token version has its own. */
  readonly keySetUrl?: string | undefined
  /** Returns the keys, in place of `keySetUrl`. It is called for each request. */
  readonly keys?: PublishedKeys | undefined
  /** The accepted token versions, each with its issuer and audience: by default both. The API's registration selects the version. */
  readonly tokenVersions?: readonly TokenVersion[] | undefined
}

true satisfies Accepts<typeof entraOptions, EntraPlaces>

/** Options of `entra`: an API that is registered at Entra ID, or at an identity provider with its dialect. */
export type EntraOptions<Role extends string = string> = EntraPlaces &
  Omit<GuardOptions<Role>, 'issuers'>

/**
 * Returns the options of a guard for an API that is registered at Entra ID.
 *
 * @param options `tenantId`, `apiApplicationId` and `roles` are required
 * @throws {GuardOptionsError} lists every invalid option
 * @example
 * const guard = createGuard(entra({ tenantId, apiApplicationId, roles: ['CallHiApiRole'] }))
 */
export function entra<const Role extends string>(options: EntraOptions<Role>): GuardOptions<Role> {
  const validated = validate(entraOptions, options)
  const issuers = [...new Set(validated.tokenVersions)].map((version) =>
    versions[version](validated),
  )
  const rest = Object.entries(options).filter(([name]) => !(name in entraOptions.shape))
  const { scope = `api://${validated.apiApplicationId}/.default` } = options
  return { ...(Object.fromEntries(rest) as Omit<GuardOptions<Role>, 'issuers'>), issuers, scope }
}
