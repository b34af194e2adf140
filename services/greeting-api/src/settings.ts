import {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  originUrl,
  portOrOff,
  readSettings as readSettingsOf,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
  workerCount,
} from '@greeting/http-service'
import { z } from 'zod'

const guid = (name: string) =>
  z
    .string(expected(`${name}, a GUID in lower case`))
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, expected('a GUID in lower case'))

const tokenVersions = z
  .string()
  .regex(/^(1\.0|2\.0)(,(1\.0|2\.0))?$/, expected('1.0 or 2.0, or both with a comma between them'))
  .transform((text) => text.split(',').map((version) => (version === '1.0' ? version : '2.0')))

const shape = z.object({
  TENANT_ID: guid('the directory (tenant) ID'),
  API_APPLICATION_ID: guid("the API's application (client) ID"),
  AUTH_URL: originUrl.default('https://login.microsoftonline.com'),
  ISSUER_URL: originUrl.default('https://sts.windows.net'),
  JWKS_URL: originUrl.optional(),
  TOKEN_VERSIONS: tokenVersions.prefault('1.0'),
  HOST: hostName.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  ...metricsSettings,
  BASE_URL: originUrl.optional(),
  HTTPS_PORT: portOrOff.default(null),
  HTTPS_CERTIFICATE_FILE: z.string().optional(),
  HTTPS_KEY_FILE: z.string().optional(),
  CERTIFICATE_BINDING: z
    .enum(['refused', 'enforced', 'required'], expected('refused, enforced or required'))
    .default('refused'),
  CLOCK_TOLERANCE_SECONDS: wholeNumber(0, 60).default(60),
  TEST_KEYS: z.enum(['refused', 'accepted'], expected('refused or accepted')).default('refused'),
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
  REMEMBERED_TOKENS: wholeNumber(0, 1_000_000).default(10_000),
  ...tracingSettings,
  WORKERS: workerCount,
  LOG_LEVEL: logLevel.default('info'),
})

const files = ['HTTPS_CERTIFICATE_FILE', 'HTTPS_KEY_FILE'] as const

const schema = shape.check(({ value, issues }) => {
  const fault = (name: keyof typeof value, message: string) =>
    issues.push({ code: 'custom', input: value[name], path: [name], message })
  // An invalid port has its own fault.
  const isOn = typeof value.HTTPS_PORT === 'number'
  const isOff = value.HTTPS_PORT === null
  for (const name of files) {
    if (isOn && value[name] === undefined)
      fault(name, 'expected a PEM file, because HTTPS_PORT is on')
    if (isOff && value[name] !== undefined)
      fault(name, 'expected no value, because HTTPS_PORT is off')
  }
  if (isOff && value.CERTIFICATE_BINDING !== 'refused') {
    fault('CERTIFICATE_BINDING', 'expected refused, because HTTPS_PORT is off')
  }
})

/** The validated settings of the greeting API. */
export type Settings = z.output<typeof schema>

/** The names of all settings. The reference page must list each of them. */
export const settingNames = Object.keys(shape.shape)

/**
 * Reads the settings from an environment. An empty value counts as not set.
 *
 * @throws {SettingsError} settings_invalid with all faults
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return readSettingsOf(environment, {
    service: 'greeting API',
    schema,
    names: settingNames,
    secretNames: new Set(tracingSecretNames),
  })
}
