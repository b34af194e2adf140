import * as z from 'zod'

const guid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a GUID in lower case')

const url = z
  .string()
  .refine((text) => /^https?:\/\/[^\s?#@]*[^\s?#@/]$/.test(text) && URL.canParse(text), {
    error: 'an http or https URL without a slash at its end',
  })

const wholeNumber = (least: number, most: number) => {
  const text = `a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, text)
    .transform(Number)
    .refine((value) => value >= least && value <= most, text)
}

const tokenVersions = z
  .string()
  .regex(/^(1\.0|2\.0)(,(1\.0|2\.0))?$/, '1.0 or 2.0, or both with a comma between them')
  .transform((text) => text.split(',').map((version) => (version === '1.0' ? version : '2.0')))

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** What the service is told by its environment. Without `TENANT_ID` nothing can be judged. */
const settings = z.object({
  TENANT_ID: guid,
  API_APPLICATION_ID: guid,
  AUTH_URL: url.default('https://login.microsoftonline.com'),
  ISSUER_URL: url.default('https://sts.windows.net'),
  JWKS_URL: url.optional(),
  TOKEN_VERSIONS: tokenVersions.prefault('1.0'),
  HOST: z.string().min(1, 'a host name or an address').default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).prefault('3000'),
  BASE_URL: url.optional(),
  CLOCK_TOLERANCE_SECONDS: wholeNumber(0, 60).prefault('60'),
  LOG_LEVEL: z.enum(levels, `one of ${levels.join(', ')}`).default('info'),
})

/** The settings of the greeting API, judged. */
export type Settings = z.output<typeof settings>

/** The name of every setting, for documents and their tests. */
export const settingNames = Object.keys(settings.shape)

/** Settings that cannot be used; each fault says the name, what was given and what is expected. */
export class SettingsError extends Error {
  readonly code = 'settings'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The greeting API cannot start with these settings:\n${faults.join('\n')}`)
    this.name = 'SettingsError'
    this.faults = faults
  }
}

/**
 * Judges an environment. An empty value counts as none, as it does in a compose file.
 *
 * @throws {SettingsError} with all faults together
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given: Record<string, string> = {}
  for (const name of settingNames) {
    const value = environment[name]
    if (value !== undefined && value !== '') given[name] = value
  }
  const judged = settings.safeParse(given)
  if (judged.success) return judged.data
  throw new SettingsError(
    judged.error.issues.map(({ path, message }) => {
      const name = String(path[0])
      const value = given[name]
      return value === undefined
        ? `  ${name} is not set; expected ${expectationOf(name)}`
        : `  ${name} is ${shown(value)}; expected ${message}`
    }),
  )
}

/** The value as it was given, but for a password in a URL. */
function shown(value: string): string {
  return JSON.stringify(value.replace(/\/\/[^/@]*@/, '//***@'))
}

// Only the two required settings can be missing, and both are application or directory ids.
function expectationOf(name: string): string {
  return name === 'TENANT_ID'
    ? 'the directory (tenant) id, a GUID in lower case'
    : "the API's application (client) id, a GUID in lower case"
}
