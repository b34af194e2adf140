import { isIPv4 } from 'node:net'
import {
  entryList,
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  originUrl,
  portOrOff,
  proxyList,
  readSettings as readSettingsOf,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
  workerCount,
} from '@greeting/http-service'
import { z } from 'zod'
import { isGuid } from './directory/guid.ts'
import { ownerTenantId } from './directory/privileged-api-ids.ts'
import { KeyEncryptionKey } from './signing/key-encryption-key.ts'
import { keyScheduleSchema } from './signing/key-schedule.ts'
import { SigningError } from './signing/signing-error.ts'
import { PostgresAddressError, parsePostgresAddress } from './storage/postgres/postgres-address.ts'

const lifetime = (() => {
  const error = expected('seconds from 60 to 86400, or two such numbers with a dash between them')
  return z
    .union([z.number(), z.string()], error)
    .refine((seconds) => /^\d{2,5}(-\d{2,5})?$/.test(`${seconds}`), error)
    .transform((seconds) => `${seconds}`.split('-').map(Number))
    .transform(([shortest = 0, longest = shortest]) => ({ shortest, longest }))
    .refine(
      ({ shortest, longest }) => shortest >= 60 && shortest <= longest && longest <= 86_400,
      error,
    )
})()

const guid = z
  .string()
  .refine(isGuid, expected('a GUID'))
  .transform((text) => text.toLowerCase())

const tenantId = guid.refine(
  (id) => id !== ownerTenantId,
  expected('another ID, because this tenant owns the management APIs'),
)

const maxCountedClients = 100

const clientIds = entryList.refine(
  (ids) => ids.length <= maxCountedClients && ids.every(isGuid),
  expected(`at most ${maxCountedClients} application IDs, separated by commas`),
)

const databaseUrl = z.string().check(({ value, issues }) => {
  try {
    parsePostgresAddress(value)
  } catch (cause) {
    if (!(cause instanceof PostgresAddressError)) throw cause
    issues.push({ code: 'custom', input: value, message: cause.message })
  }
})

const keyEncryptionKey = z.string().refine((text) => {
  try {
    KeyEncryptionKey.parse(text)
    return true
  } catch (cause) {
    if (cause instanceof SigningError) return false
    throw cause
  }
}, expected('32 bytes in base64, as openssl rand -base64 32 prints them'))

const shape = z.object({
  HOST: hostName.default('127.0.0.1'),
  PORT: portOrOff.default(4000),
  HTTPS_PORT: portOrOff.optional(),
  ...metricsSettings,
  METRICS_CLIENT_IDS: clientIds.default([]),
  MTLS_PORT: portOrOff.default(null),
  MTLS_AUTH_URL: originUrl.optional(),
  CLIENT_CERT_PROXIES: proxyList.default([]),
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
  HTTPS_NAMES: entryList.default([]),
  AUTH_URL: originUrl.optional(),
  HTTPS_AUTH_URL: originUrl.optional(),
  ISSUER_URL: originUrl.optional(),
  ISSUER_URL_V2: originUrl.optional(),
  DATA_DIR: z.string().default('.greeting'),
  DATABASE_URL: databaseUrl.optional(),
  LOST_CHANGES: z.enum(['refuse', 'accept'], expected('refuse or accept')).default('refuse'),
  REGISTRATIONS: z.string().optional(),
  TENANT_ID: tenantId.optional(),
  NEW_ADMINISTRATOR: z.enum(['yes', 'no'], expected('yes or no')).default('no'),
  DIRECTORY_CACHE_OBJECTS: wholeNumber(1000, 10_000_000).default(100_000),
  DELETED_ITEMS_RETENTION_DAYS: wholeNumber(1, 3650).default(30),
  VISIBILITY_DELAY_SECONDS: wholeNumber(0, 3600).default(0),
  KEY_ENCRYPTION_KEY: keyEncryptionKey.optional(),
  KEY_ROTATE_AFTER_DAYS: wholeNumber(2, 730).default(90),
  KEY_ANNOUNCE_DAYS: wholeNumber(1, 365).default(14),
  TOKEN_LIFETIME_SECONDS: lifetime.default({ shortest: 3600, longest: 3600 }),
  TOKEN_BACKDATING_SECONDS: wholeNumber(0, 600).default(300),
  ASSERTION_USE: z
    .enum(['until-expiry', 'once'], expected('until-expiry or once'))
    .default('until-expiry'),
  ASSERTION_LIFETIME_SECONDS: wholeNumber(60, 86_400).default(3600),
  CLOCK_TOLERANCE_SECONDS: wholeNumber(0, 300).default(60),
  FEDERATED_ISSUER_HOSTS: entryList.default([]),
  WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: wholeNumber(1, 1_000_000).default(20),
  WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
  MAX_SIGN_IN_RECORDS: wholeNumber(1000, 10_000_000).default(1_000_000),
  MAX_UNAUTHENTICATED_RECORDS: wholeNumber(1000, 10_000_000).default(100_000),
  MAX_REFUSED_CHANGE_RECORDS: wholeNumber(1000, 10_000_000).default(100_000),
  MAX_USED_ASSERTIONS: wholeNumber(1000, 10_000_000).default(1_000_000),
  TRUSTED_PROXIES: proxyList.default([]),
  PORTAL: z.enum(['on', 'off'], expected('on or off')).optional(),
  LAB: z.enum(['on', 'off'], expected('on or off')).default('off'),
  LAB_ANY_ADDRESS: z.enum(['yes', 'no'], expected('yes or no')).default('no'),
  ...tracingSettings,
  WORKERS: workerCount,
  LOG_LEVEL: logLevel.default('info'),
})

const settings = shape.check(({ value, issues }) => {
  const fault = labFault(value)
  if (fault !== undefined) {
    issues.push({ code: 'custom', input: value.LAB, path: ['LAB'], message: fault })
  }
  const schedule = keyScheduleSchema.safeParse(keySchedule(value))
  for (const { code, path, message } of schedule.error?.issues ?? []) {
    // The range of each number is already valid. Only their combination is checked here.
    if (code !== 'custom') continue
    const name = path[0] === 'announceDays' ? 'KEY_ANNOUNCE_DAYS' : 'KEY_ROTATE_AFTER_DAYS'
    issues.push({ code: 'custom', input: value[name], path: [name], message })
  }
})

const withHttpsPort = settings.transform((value, { issues }) => {
  const { PORT, HTTPS_PORT = PORT === 0 ? 0 : 4443 } = value
  if (PORT === null && HTTPS_PORT === null) {
    issues.push({ code: 'custom', input: 'off', path: ['HTTPS_PORT'], message: bothOff })
  }
  if (value.MTLS_PORT !== null && HTTPS_PORT === null) {
    issues.push({ code: 'custom', input: 'off', path: ['HTTPS_PORT'], message: mtlsNeedsHttps })
  }
  return { ...value, HTTPS_PORT }
})

const isLoopback = (host: string) =>
  ['localhost', '::1', '[::1]'].includes(host) ||
  host.endsWith('.localhost') ||
  (isIPv4(host) && host.startsWith('127.'))

/** A lab is for one process on this machine. Other addresses need a second setting. */
function labFault(value: LabSettings): string | undefined {
  if (value.LAB === 'off') return undefined
  if (value.WORKERS > 1 || value.DATABASE_URL !== undefined) {
    return 'expected off, because a lab has neither several workers nor a shared database'
  }
  const hosts = [value.AUTH_URL, value.HTTPS_AUTH_URL].map((url) => url && new URL(url).hostname)
  const isLocal = [value.HOST, ...hosts].every((host) => host === undefined || isLoopback(host))
  if (isLocal || value.LAB_ANY_ADDRESS === 'yes') return undefined
  return 'expected off, because HOST, AUTH_URL or HTTPS_AUTH_URL is not a loopback address. LAB_ANY_ADDRESS=yes permits it'
}

const mtlsNeedsHttps = 'expected a port, because MTLS_PORT is on'
const bothOff = 'expected a port, because PORT is off too'

type LabSettings = Pick<
  z.output<typeof shape>,
  'LAB' | 'LAB_ANY_ADDRESS' | 'WORKERS' | 'DATABASE_URL' | 'HOST' | 'AUTH_URL' | 'HTTPS_AUTH_URL'
>

/** The schedule of the signing keys. */
export const keySchedule = (values: z.output<typeof shape>) => ({
  rotateAfterDays: values.KEY_ROTATE_AFTER_DAYS,
  announceDays: values.KEY_ANNOUNCE_DAYS,
  longestTokenSeconds: values.TOKEN_LIFETIME_SECONDS.longest,
})

/** The validated settings of the identity provider. */
export type Settings = z.output<typeof withHttpsPort>

/** The settings before their check, as the environment or a program has them. */
export type SettingsInput = z.input<typeof shape>

/** The names of all settings. The reference page must list each of them. */
export const settingNames = Object.keys(shape.shape)

const secretNames: ReadonlySet<string> = new Set([
  'KEY_ENCRYPTION_KEY',
  'DATABASE_URL',
  ...tracingSecretNames,
])

/**
 * Checks the settings of an environment, or those of a program with values of their own types. An empty value
 * counts as not set.
 *
 * @param nameOf how messages name a setting; default as it is
 * @throws {SettingsError} settings_invalid with all faults
 * @example
 * readSettings({ PORT: '0' }).PORT // 0
 */
export function readSettings(
  values: Readonly<Record<string, unknown>>,
  nameOf?: (name: string) => string,
): Settings {
  const service = 'identity provider'
  return readSettingsOf(
    values,
    { service, schema: withHttpsPort, names: settingNames, secretNames },
    nameOf,
  )
}
