import { z } from 'zod'
import { expected, originUrl, wholeNumber } from '../settings/setting-schemas.ts'

const guid = (name: string) =>
  z
    .string(expected(`${name}, a GUID in lower case`))
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, expected('a GUID in lower case'))

const tokenVersions = z
  .string()
  .regex(/^(1\.0|2\.0)(,(1\.0|2\.0))?$/, expected('1.0 or 2.0, or both with a comma between them'))
  .transform((text) => text.split(',').map((version) => (version === '1.0' ? version : '2.0')))

/** The settings that say whose tokens a service accepts. */
export const issuerSettings = {
  TENANT_ID: guid('the directory (tenant) ID'),
  API_APPLICATION_ID: guid("the API's application (client) ID"),
  AUTH_URL: originUrl.default('https://login.microsoftonline.com'),
  // The guard has the default: a local AUTH_URL is its own issuer.
  ISSUER_URL: originUrl.optional(),
  JWKS_URL: originUrl.optional(),
  TOKEN_VERSIONS: tokenVersions.prefault('1.0'),
} as const

/** The settings that say how its guard checks them. */
export const checkSettings = {
  CLOCK_TOLERANCE_SECONDS: wholeNumber(0, 60).default(60),
  TEST_KEYS: z.enum(['refused', 'accepted'], expected('refused or accepted')).default('refused'),
  REMEMBERED_TOKENS: wholeNumber(0, 1_000_000).default(10_000),
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
