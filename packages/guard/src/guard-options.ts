import * as z from 'zod'
import type { EventListener } from './guard-event.ts'

const name = z.string().min(1)

/** An absolute http or https URL that is sent as it is written. */
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

/** What fits between the quotes of a challenge (RFC 6750 section 3). */
const quotable = z
  .string()
  .regex(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without quotes and backslash')

const trustedIssuer = z.strictObject({
  /** Compared whole with `iss`. */
  issuer: name,
  /** Each compared whole with `aud`, or with the members of `aud`. */
  audiences: z.array(name).min(1),
  /** Compared whole with `tid`; without it no tenant is asked for. */
  tenantId: name.optional(),
  /** Where this issuer, and no other, publishes its keys. */
  keySetUrl: httpUrl,
  /** The value of `ver`, when a token carries one. */
  tokenVersion: name.optional(),
  /** The claims that name the client and the token, which differ between dialects. */
  claims: z
    .strictObject({ applicationId: name.default('client_id'), tokenId: name.default('jti') })
    .prefault({}),
})

const seconds = (least: number, most: number) => z.int().min(least).max(most)

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
  /** Where the protected resource metadata is served; named in every challenge. */
  resourceMetadataUrl: z.intersection(quotable, httpUrl).optional(),
  /** The accepted values of `typ`, compared without case; a token without `typ` is accepted. */
  tokenTypes: z.array(name).min(1).default(['JWT', 'at+jwt', 'application/at+jwt']),
  /** How far the clocks of issuer and resource server may differ: 0 to 60, by default 60. */
  clockToleranceSeconds: seconds(0, 60).default(60),
  /** The most verified tokens that are remembered: 0 to 1,000,000, by default 10,000. */
  rememberedTokens: z.int().min(0).max(1_000_000).default(10_000),
  /**
   * Tokens that are bound to a client certificate (`cnf`, RFC 8705): `refused`, the default;
   * `enforced`, admitted over the connection that proved the certificate; `required`, and no other.
   */
  certificateBinding: z.enum(['refused', 'enforced', 'required']).default('refused'),
  keySets: z
    .strictObject({
      /** Between refreshes in the background: 60 to 86,400, by default 3600. */
      refreshSeconds: seconds(60, 86_400).default(3600),
      /** Between an attempt and one for an unknown `kid`: 1 to 3600, by default 30. */
      cooldownSeconds: seconds(1, 3600).default(30),
      /** How long a set is relied on while refreshes fail: 60 to 604,800, by default 86,400. */
      ceilingSeconds: seconds(60, 604_800).default(86_400),
      /** For one attempt, whole: 100 to 60,000, by default 5000. */
      timeoutMs: z.int().min(100).max(60_000).default(5000),
    })
    .refine(({ ceilingSeconds, refreshSeconds }) => ceilingSeconds >= refreshSeconds, {
      path: ['ceilingSeconds'],
      error: 'must not be shorter than refreshSeconds',
    })
    .prefault({}),
  /** Hears of every decision and of the key sets. */
  listener: z
    .custom<EventListener>((value) => typeof value === 'function', {
      error: 'must be a function',
    })
    .optional(),
})

/** An issuer whose tokens are admitted, and where it publishes its keys. */
export type TrustedIssuer = z.output<typeof trustedIssuer>

/** Options of a guard. docs/reference/guard.md describes each of them. */
export type GuardOptions<Role extends string = string> = Omit<
  z.input<typeof guardOptions>,
  'roles'
> & { readonly roles: readonly Role[] }

/** Options as judged, with every default written in. */
export type JudgedOptions = z.output<typeof guardOptions>

/** Options that cannot be used; the message tells every fault. */
export class GuardOptionsError extends TypeError {
  readonly code = 'guard_options'
  /** One sentence for each fault, beginning with the option's name. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The guard cannot be made from these options:\n${faults.join('\n')}`)
    this.name = 'GuardOptionsError'
    this.faults = faults
  }
}

/** @throws {GuardOptionsError} with all faults together */
export function judgeGuardOptions(options: unknown): JudgedOptions {
  return judge(guardOptions, options)
}

/** @throws {GuardOptionsError} when the value is not what the schema says, with all faults together */
export function judge<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const judged = schema.safeParse(value)
  if (judged.success) return judged.data
  throw new GuardOptionsError(
    judged.error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`),
  )
}
