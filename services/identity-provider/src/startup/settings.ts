import { isGuid, ownerTenantId } from '@greeting/directory'
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
  reusePort,
  setting,
  settingsOf,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
} from '@greeting/http-service'
import { z } from 'zod'
import { labFault, labSecret, labSecretFault } from '../lab/lab-settings.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { keyScheduleSchema, longestTokenSeconds } from '../signing/key-schedule.ts'
import { SigningError } from '../signing/signing-error.ts'
import { auditFaults, auditSettings } from '../telemetry/audit-export/audit-settings.ts'
import { storageFaults, storageSettings } from './storage-settings.ts'

const lifetime = (() => {
  const error = expected('seconds from 60 to 86400, or two such numbers with a dash between them')
  return z
    .union([z.number(), z.string()], error)
    .refine((seconds) => /^\d{2,5}(-\d{2,5})?$/.test(`${seconds}`), error)
    .transform((seconds) => `${seconds}`.split('-').map(Number))
    .transform(([shortest = 0, longest = shortest]) => ({ shortest, longest }))
    .refine(
      ({ shortest, longest }) =>
        shortest >= 60 && shortest <= longest && longest <= longestTokenSeconds,
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

const maxCounted = 100

const countedIds = (kind: string) =>
  entryList.refine(
    (ids) => ids.length <= maxCounted && ids.every(isGuid),
    expected(`at most ${maxCounted} ${kind} IDs, separated by commas`),
  )

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
  HOST: setting(
    hostName.default('127.0.0.1'),
    'the address of the listener; `::` is every address, also of IPv4',
  ),
  PORT: setting(
    portOrOff.default(4000),
    'the port for HTTP; 0 chooses a free one, `off` disables HTTP',
  ),
  HTTPS_PORT: setting(
    portOrOff.optional(),
    'the port for HTTPS, a free one when `PORT` is 0; `off` disables HTTPS',
    '`4443`',
  ),
  ...metricsSettings,
  METRICS_CLIENT_IDS: setting(
    countedIds('application').default([]),
    'up to 100 application IDs, separated by commas, that `greeting_client_token_requests_total` counts',
  ),
  METRICS_TENANT_IDS: setting(
    countedIds('tenant').default([]),
    'up to 100 tenant IDs, separated by commas, of which `greeting_tenant_token_requests_total` and `greeting_tenant_objects` are counted',
  ),
  MTLS_PORT: setting(
    portOrOff.default(null),
    'the port for clients that authenticate by mutual TLS; their tokens are [bound to the certificate](../guides/federated-credentials.md#tokens-that-are-bound-to-a-certificate); requires `HTTPS_PORT`',
  ),
  MTLS_AUTH_URL: setting(
    originUrl.optional(),
    'the public origin of the listener for mutual TLS, in `mtls_endpoint_aliases`',
    'the address of the listener',
  ),
  CLIENT_CERT_PROXIES: setting(
    proxyList.default([]),
    'the addresses and networks of proxies whose field `Client-Cert` counts as the certificate of the client. They connect by HTTPS, or from this machine',
  ),
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
  HTTPS_NAMES: setting(
    entryList.default([]),
    'more names and addresses for the server certificate, separated by commas; a new one creates a [new authority](../guides/deploying.md#https-and-trust)',
  ),
  AUTH_URL: setting(
    originUrl.optional(),
    'The public origin for HTTP, in every document and in `error_uri`. It is never taken from a request.',
    'the address of the listener',
  ),
  HTTPS_AUTH_URL: setting(
    originUrl.optional(),
    'the public origin for HTTPS, as `AUTH_URL` for HTTP',
    'the address of the listener',
  ),
  ISSUER_URL: setting(
    originUrl.optional(),
    'the issuer of v1.0 tokens is `{ISSUER_URL}/{tenant id}/`; may be `https://sts.windows.net`',
    'the address of the listener, HTTP first',
  ),
  ISSUER_URL_V2: setting(
    originUrl.optional(),
    'the issuer of v2.0 tokens is `{ISSUER_URL_V2}/{tenant id}/v2.0`; may be `https://login.microsoftonline.com`',
    'the origin of the request',
  ),
  DATA_DIR: setting(
    z.string().default('.greeting'),
    'the folder of its files, created with mode 0700',
  ),
  ...storageSettings,
  REGISTRATIONS: setting(
    z.string().optional(),
    'a [registrations file](registrations.md) without certificates, applied when the directory is empty, with each `applicationId` in it; the secrets go to `seeded.json` in `DATA_DIR`, mode 0600. It has no effect on another directory, and the log says so',
  ),
  TENANT_ID: setting(
    tenantId.optional(),
    'the ID of the first tenant, when the directory is empty and no file names one; the tenant of the management APIs is refused',
    'a new one',
  ),
  NEW_ADMINISTRATOR: setting(
    z.enum(['yes', 'no'], expected('yes or no')).default('no'),
    '`yes` creates another administrator at this start, and writes its secret to `administrator.env` in `DATA_DIR`',
  ),
  DIRECTORY_CACHE_OBJECTS: setting(
    wholeNumber(1000, 10_000_000).default(100_000),
    'the objects, credentials, roles and index entries of the directory in memory, 1,000 to 10,000,000; a client that obtains tokens takes about 12',
  ),
  MAX_TENANT_OBJECTS: setting(
    wholeNumber(100, 10_000_000).optional(),
    'the limit of applications and service principals of each tenant, 100 to 10,000,000; [deleted ones count](../guides/storage.md#growth) until they are purged',
    'none',
  ),
  DELETED_ITEMS_RETENTION_DAYS: setting(
    wholeNumber(1, 3650).default(30),
    'how long a deleted application or service principal can be restored before it is purged, 1 to 3650',
  ),
  VISIBILITY_DELAY_SECONDS: setting(
    wholeNumber(0, 3600).default(0),
    'how long the management API does not show new objects, 0 to 3600; for tests against the delay of a cloud',
  ),
  KEY_ENCRYPTION_KEY: setting(
    keyEncryptionKey.optional(),
    'the key that encrypts private keys: 32 bytes in base64',
    'a key file in `DATA_DIR`',
  ),
  KEY_ROTATE_AFTER_DAYS: setting(
    wholeNumber(2, 730).default(90),
    'how long a signing key signs, 2 to 730',
  ),
  KEY_ANNOUNCE_DAYS: setting(
    wholeNumber(1, 365).default(14),
    'how long the next key is published before it signs, 1 to 365, less than `KEY_ROTATE_AFTER_DAYS`',
  ),
  TOKEN_LIFETIME_SECONDS: setting(
    lifetime.prefault(3600),
    'the lifetime of tokens, 60 to 86400; `3600-5400` gives each a random lifetime in this range',
  ),
  TOKEN_BACKDATING_SECONDS: setting(
    wholeNumber(0, 600).default(300),
    'how far `iat` and `nbf` are in the past, 0 to 600',
  ),
  ASSERTION_USE: setting(
    z.enum(['until-expiry', 'once'], expected('until-expiry or once')).default('until-expiry'),
    '`once`: each client assertion is valid for one token, and each proof of possession for one change, on all replicas',
  ),
  ASSERTION_LIFETIME_SECONDS: setting(
    wholeNumber(60, 86_400).default(3600),
    'how far in the future a client assertion may expire, 60 to 86400',
  ),
  CLOCK_TOLERANCE_SECONDS: setting(
    wholeNumber(0, 300).default(60),
    'The accepted difference of clocks, 0 to 300: for the times of assertions, and for the start of a secret or certificate. An end is exact.',
  ),
  FEDERATED_ISSUER_HOSTS: setting(
    entryList.default([]),
    'the hosts, with port, from which keys of other issuers may be loaded, separated by commas',
  ),
  WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000).default(20),
    'the limit of wrong credentials for one client; beyond it, the response is 429',
  ),
  WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000).default(60),
    'the limit of refusals before authentication for one source, an IPv4 address or an IPv6 /64; beyond it, the response is 429',
  ),
  ...auditSettings,
  MAX_USED_ASSERTIONS: setting(
    wholeNumber(1000, 10_000_000).default(1_000_000),
    'The limit of used client assertions that have not expired, 1000 to 10000000, with `ASSERTION_USE=once`. Beyond it, assertions get 503, because none is forgotten before it expires. One-time links and sign-outs of the portal count too.',
  ),
  TRUSTED_PROXIES: setting(
    proxyList.default([]),
    'the addresses and networks (`10.0.0.0/8`) of trusted proxies, whose `X-Forwarded-For` counts, separated by commas',
  ),
  PORTAL: setting(
    z.enum(['on', 'off'], expected('on or off')).optional(),
    '`on` serves the [portal](../guides/portal.md) at an address that is not on loopback. It needs HTTPS there. `off` removes it',
    '`on` on loopback, else `off`',
  ),
  LAB: setting(
    z.enum(['on', 'off'], expected('on or off')).default('off'),
    '`on` adds `/lab`: forged tokens, faults and a clock, [for tests only](../guides/testing.md). It needs its own store and loopback addresses',
  ),
  LAB_ANY_ADDRESS: setting(
    z.enum(['yes', 'no'], expected('yes or no')).default('no'),
    '`yes` permits a lab on other addresses, such as in a container of a test',
  ),
  LAB_CLIENT_SECRET: setting(
    labSecret.optional(),
    'the text of all secrets that `REGISTRATIONS` creates, 16 to 128 printable characters. It is valid with `LAB=on` only, and no secret for production',
    'each is random',
  ),
  MCP_CLIENTS: setting(
    z.enum(['on', 'off'], expected('on or off')).default('off'),
    '`on` accepts [requests of MCP clients that Entra refuses](../guides/identity-provider.md#mcp-clients), and publishes metadata that Entra lacks',
  ),
  ...tracingSettings,
  REUSE_PORT: reusePort,
  LOG_LEVEL: setting(
    logLevel.default('info'),
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; issued tokens and incomplete requests have the level `debug`, refusals `info`',
  ),
})

const settings = shape.check(({ value, issues }) => {
  for (const { name, message } of auditFaults(value))
    issues.push({ code: 'custom', input: value[name], path: [name], message })
  const fault = labFault(value)
  if (fault !== undefined)
    issues.push({ code: 'custom', input: value.LAB, path: ['LAB'], message: fault })
  if (value.LAB_CLIENT_SECRET !== undefined) {
    const message = labSecretFault(value)
    const path = ['LAB_CLIENT_SECRET']
    if (message !== undefined) issues.push({ code: 'custom', input: '', path, message })
  }
  for (const [name, message] of storageFaults(value))
    issues.push({ code: 'custom', input: '', path: [name], message })
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
  if (PORT === null && HTTPS_PORT === null)
    issues.push({ code: 'custom', input: 'off', path: ['HTTPS_PORT'], message: bothOff })
  if (value.MTLS_PORT !== null && HTTPS_PORT === null)
    issues.push({ code: 'custom', input: 'off', path: ['HTTPS_PORT'], message: mtlsNeedsHttps })
  return { ...value, HTTPS_PORT }
})

const mtlsNeedsHttps = 'expected a port, because MTLS_PORT is on'
const bothOff = 'expected a port, because PORT is off too'

export const keySchedule = (values: z.output<typeof shape>) => ({
  rotateAfterDays: values.KEY_ROTATE_AFTER_DAYS,
  announceDays: values.KEY_ANNOUNCE_DAYS,
  // A policy can lengthen the tokens of an API at any time.
  longestTokenSeconds,
})

export type Settings = z.output<typeof withHttpsPort>

/** The settings before validation, as the environment or a program has them. */
export type SettingsInput = z.input<typeof shape>

export const { settingSchemas, settingNames, readSettings } = settingsOf({
  service: 'identity provider',
  shape: shape.shape,
  schema: withHttpsPort,
  secretNames: [
    'KEY_ENCRYPTION_KEY',
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'ASSERTION_DATABASE_URL',
    'LAB_CLIENT_SECRET',
    ...tracingSecretNames,
  ],
})
