import * as z from 'zod'
import type { EventListener } from './guard-event.ts'
import { type GuardOptions, GuardOptionsError } from './guard-options.ts'
import type { PublishedKeys } from './keys/local-key-source.ts'

type ReadonlyDeep<Type> = Type extends (...parameters: never[]) => unknown
  ? Type
  : { readonly [Name in keyof Type]: ReadonlyDeep<Type[Name]> }
type IsSame<One, Other> =
  (<Type>() => Type extends One ? 1 : 2) extends <Type>() => Type extends Other ? 1 : 2
    ? true
    : false

/** True if a schema accepts exactly the names, types and optional members of a type. */
export type Accepts<Schema extends z.ZodType, Type> = IsSame<
  ReadonlyDeep<z.input<Schema>>,
  ReadonlyDeep<Type>
>

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
    issuer: name,
    audiences: z.array(name).min(1),
    tenantId: name.optional(),
    keySetUrl: httpUrl.optional(),
    keys: publishedKeys.optional(),
    tokenVersion: name.optional(),
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
  roles: z
    .array(name)
    .min(1)
    .refine((roles) => new Set(roles).size === roles.length, { error: 'must name each role once' }),
  realm: quotable.default('api'),
  scope: quotable.optional(),
  resourceMetadataUrl: z.intersection(quotable, httpUrl).optional(),
  tokenTypes: z.array(name).min(1).default(['JWT', 'at+jwt', 'application/at+jwt']),
  clockToleranceSeconds: seconds(0, 60).default(60),
  maxCachedTokens: z.int().min(0).max(1_000_000).default(10_000),
  certificateBinding: z.enum(['refused', 'enforced', 'required']).default('refused'),
  testKeys: z.enum(['refused', 'accepted']).default('refused'),
  keySets: z
    .strictObject({
      refreshSeconds: seconds(60, 86_400).default(3600),
      cooldownSeconds: seconds(1, 3600).default(30),
      ceilingSeconds: seconds(60, 604_800).default(86_400),
      timeoutMs: z.int().min(100).max(60_000).default(5000),
    })
    .refine(({ ceilingSeconds, refreshSeconds }) => ceilingSeconds >= refreshSeconds, {
      path: ['ceilingSeconds'],
      error: 'must not be shorter than refreshSeconds',
    })
    .prefault({}),
  listener: functionOf<EventListener>().optional(),
})

true satisfies Accepts<typeof guardOptions, GuardOptions>

/** An issuer whose tokens are accepted, and the source of its keys. */
export type TrustedIssuer = z.output<typeof trustedIssuer>

/** Valid options, with all defaults. */
export type ValidatedOptions = z.output<typeof guardOptions>

/**
 * Validates the options of a guard.
 * @throws {GuardOptionsError} lists every invalid option
 */
export function validateGuardOptions(options: unknown): ValidatedOptions {
  // A client sends the scope to the token endpoint, which refuses the name of a role.
  const checked = guardOptions.refine(
    ({ scope = '', roles }) => !scope.split(' ').some((one) => roles.includes(one)),
    { path: ['scope'], error: 'must not name a role' },
  )
  return validate(checked, options)
}

/**
 * Validates a value by a schema.
 * @throws {GuardOptionsError} lists every fault that the schema finds
 */
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
