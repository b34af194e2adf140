import * as z from 'zod'
import type { EventListener } from './guard-event.ts'
import type { PublishedKeys } from './keys/local-key-source.ts'

const name = z.string().min(1)

/** An absolute http or https URL. It is sent unchanged. */
const httpUrl = z.string().refine(
  (text) => {
    const url = URL.parse(text)
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username === '' &&
      url.password === '' &&
      !text.includes('#')
    )
  },
  { error: 'must be an http or https URL without credentials and fragment' },
)

/** Characters that a quoted parameter of a challenge may contain (RFC 6750 section 3). */
const quotable = z
  .string()
  .regex(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without quotes and backslash')

const functionOf = <Signature>() =>
  z.custom<Signature>((value) => typeof value === 'function', { error: 'must be a function' })

/** The option `keys` of an issuer. */
export const publishedKeys = functionOf<PublishedKeys>()

const trustedIssuer = z
  .strictObject({
    /** Must equal `iss`. */
    issuer: name,
    /** One of them must equal `aud`, or a member of `aud`. */
    audiences: z.array(name).min(1),
    /** Must equal `tid`. By default `tid` is not checked. */
    tenantId: name.optional(),
    /** Where this issuer publishes its keys. They verify the tokens of this issuer only. */
    keySetUrl: httpUrl.optional(),
    /** Returns the keys, in place of `keySetUrl`. Called for each request. */
    keys: publishedKeys.optional(),
    /** The value of `ver`, if a token contains it. By default `ver` is not checked. */
    tokenVersion: name.optional(),
    /** The claims with the ids of the client and of the token. They differ between dialects. */
    claims: z
      .strictObject({ applicationId: name.default('client_id'), tokenId: name.default('jti') })
      .prefault({}),
  })
  .refine(({ keySetUrl, keys }) => (keySetUrl === undefined) !== (keys === undefined), {
    error: 'must have either keySetUrl or keys',
  })

const seconds = (min: number, max: number) => z.int().min(min).max(max)

const guardOptions = z.strictObject({
  issuers: z
    .array(trustedIssuer)
    .min(1)
    .refine((issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length, {
      error: 'must name each issuer once',
    }),
  /** Every role that a route may require. */
  roles: z
    .array(name)
    .min(1)
    .refine((roles) => new Set(roles).size === roles.length, { error: 'must name each role once' }),
  /** The `realm` of challenges. */
  realm: quotable.default('api'),
  /** The URL of the protected resource metadata. Each challenge contains it. */
  resourceMetadataUrl: z.intersection(quotable, httpUrl).optional(),
  /** The accepted values of `typ`, compared without case. A token without `typ` is accepted. */
  tokenTypes: z.array(name).min(1).default(['JWT', 'at+jwt', 'application/at+jwt']),
  /** Accepted difference between the clocks of issuer and API: 0 to 60, by default 60. */
  clockToleranceSeconds: seconds(0, 60).default(60),
  /** Size of the cache of verified tokens: 0 to 1,000,000, by default 10,000. */
  maxCachedTokens: z.int().min(0).max(1_000_000).default(10_000),
  /**
   * Tokens that are bound to a client certificate (`cnf`, RFC 8705). `refused`, the default, accepts
   * none. `enforced` accepts them over a connection with that certificate. `required` accepts no
   * other tokens.
   */
  certificateBinding: z.enum(['refused', 'enforced', 'required']).default('refused'),
  /**
   * The keys of `@greeting/testing`, whose private parts are public. `refused`, the default, is the only
   * safe value outside a test.
   */
  testKeys: z.enum(['refused', 'accepted']).default('refused'),
  keySets: z
    .strictObject({
      /** Between refreshes in the background: 60 to 86,400, by default 3600. */
      refreshSeconds: seconds(60, 86_400).default(3600),
      /** Between an attempt and the next one for an unknown `kid`: 1 to 3600, by default 30. */
      cooldownSeconds: seconds(1, 3600).default(30),
      /** Maximum age of a key set while refreshes fail: 60 to 604,800, by default 86,400. */
      ceilingSeconds: seconds(60, 604_800).default(86_400),
      /** For one whole attempt: 100 to 60,000, by default 5000. */
      timeoutMs: z.int().min(100).max(60_000).default(5000),
    })
    .refine(({ ceilingSeconds, refreshSeconds }) => ceilingSeconds >= refreshSeconds, {
      path: ['ceilingSeconds'],
      error: 'must not be shorter than refreshSeconds',
    })
    .prefault({}),
  /** Receives every decision, and the events of the key sets. */
  listener: functionOf<EventListener>().optional(),
})

/** An issuer whose tokens are accepted, and the source of its keys. */
export type TrustedIssuer = z.output<typeof trustedIssuer>

/** Options of a guard. docs/reference/guard.md describes each of them. */
export type GuardOptions<Role extends string = string> = Omit<
  z.input<typeof guardOptions>,
  'roles'
> & { readonly roles: readonly Role[] }

/** Valid options, with all defaults. */
export type ValidatedOptions = z.output<typeof guardOptions>

/** Invalid options. The message lists every fault. */
export class GuardOptionsError extends TypeError {
  readonly code = 'guard_options'
  /** One sentence for each fault. It begins with the name of the option. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The options of the guard are invalid:\n${faults.join('\n')}`)
    this.name = 'GuardOptionsError'
    this.faults = faults
  }
}

/** @throws {GuardOptionsError} lists every invalid option */
export function validateGuardOptions(options: unknown): ValidatedOptions {
  return validate(guardOptions, options)
}

/** @throws {GuardOptionsError} lists every fault that the schema finds */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new GuardOptionsError(
    result.error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`),
  )
}
