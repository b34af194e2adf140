import { z } from 'zod'
import { expected, originUrl, setting, wholeNumber } from '../settings/setting-schemas.ts'

const guid = (name: string) =>
  z
    .string(expected(`${name}, a GUID in lower case`))
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, expected('a GUID in lower case'))

const tokenVersions = z
  .string()
  .regex(/^(1\.0|2\.0)(,(1\.0|2\.0))?$/, expected('1.0 or 2.0, or both with a comma between them'))
  .transform((text) => text.split(',').map((version) => (version === '1.0' ? version : '2.0')))

const origin = /^https?:\/\/[^\s/?#@]+$/

/** The settings that say whose tokens a service accepts. */
export const issuerSettings = {
  TENANT_ID: setting(
    guid('the directory (tenant) ID'),
    'the tenant (directory) ID, a GUID in lower case',
  ),
  API_APPLICATION_ID: setting(
    guid("the API's application (client) ID"),
    'the application (client) ID of the API, a GUID in lower case',
  ),
  AUTH_URL: setting(
    // The guard refuses plain http for another machine.
    z
      .string()
      .refine(
        (text) => origin.test(text) && URL.canParse(text),
        expected('an https URL without a path (http only for localhost)'),
      )
      .default('https://login.microsoftonline.com'),
    'the origin of the keys and of the token endpoint; without a path, and http only for `localhost`',
  ),
  // The guard has the default: a local AUTH_URL is its own issuer.
  ISSUER_URL: setting(
    originUrl.optional(),
    'the issuer of v1.0 tokens is `{ISSUER_URL}/{TENANT_ID}/`',
    '`https://sts.windows.net`, or `AUTH_URL` when that is on this machine',
  ),
  JWKS_URL: setting(
    originUrl.optional(),
    'the key set; for v2.0 tokens it is `{AUTH_URL}/{TENANT_ID}/discovery/v2.0/keys`',
    '`{AUTH_URL}/{TENANT_ID}/discovery/keys`',
  ),
  TOKEN_VERSIONS: setting(tokenVersions.prefault('1.0'), '`1.0`, `2.0` or `1.0,2.0`'),
} as const

/** The settings that decide how the API's guard checks tokens. */
export const checkSettings = {
  CLOCK_TOLERANCE_SECONDS: setting(
    wholeNumber(0, 60).default(60),
    'the accepted difference of clocks, 0 to 60',
  ),
  TEST_KEYS: setting(
    z.enum(['refused', 'accepted'], expected('refused or accepted')).default('refused'),
    'the public signing keys of `@greeting/testing`: `refused` or `accepted`. Accept them in tests only',
  ),
  REMEMBERED_TOKENS: setting(
    wholeNumber(0, 1_000_000).default(10_000),
    'the size of the cache of verified tokens, 0 to 1,000,000; at least the number of callers',
  ),
} as const

const schema = z.object({ ...issuerSettings, ...checkSettings })

/** The options of the guard that these settings contain. */
export const guardOptions = (settings: z.output<typeof schema>) => ({
  tenantId: settings.TENANT_ID,
  apiApplicationId: settings.API_APPLICATION_ID,
  authUrl: settings.AUTH_URL,
  issuerUrl: settings.ISSUER_URL,
  keySetUrl: settings.JWKS_URL,
  tokenVersions: settings.TOKEN_VERSIONS,
  clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
  testKeys: settings.TEST_KEYS,
  maxCachedTokens: settings.REMEMBERED_TOKENS,
})
