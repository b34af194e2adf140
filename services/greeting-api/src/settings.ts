import {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  originUrl,
  portOrOff,
  reusePort,
  setting,
  settingsOf,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
} from '@greeting/http-service'
import { checkSettings, issuerSettings } from '@greeting/http-service/guarded'
import { z } from 'zod'

const shape = z.object({
  ...issuerSettings,
  HOST: setting(
    hostName.default('127.0.0.1'),
    'the address of the listener; `::` is every address, also of IPv4',
  ),
  PORT: setting(
    wholeNumber(0, 65_535).default(3000),
    'the port of the listener; 0 chooses a free one',
  ),
  ...metricsSettings,
  BASE_URL: setting(
    originUrl.optional(),
    'the public URL, which documents and challenges contain, also over HTTPS',
    'the address of the listener',
  ),
  HTTPS_PORT: setting(portOrOff.default(null), 'the port for HTTPS; 0 chooses a free one'),
  HTTPS_CERTIFICATE_FILE: setting(
    z.string().optional(),
    'the server certificate with its chain, PEM; required with `HTTPS_PORT`; read again every hour',
  ),
  HTTPS_KEY_FILE: setting(
    z.string().optional(),
    'its private key, PEM; required with `HTTPS_PORT`',
  ),
  CERTIFICATE_BINDING: setting(
    z
      .enum(['refused', 'enforced', 'required'], expected('refused, enforced or required'))
      .default('refused'),
    'tokens that are [bound to a client certificate](../reference/guard.md#tokens-that-are-bound-to-a-certificate): `refused`, `enforced` or `required`',
  ),
  ...checkSettings,
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
  ...tracingSettings,
  REUSE_PORT: reusePort,
  LOG_LEVEL: setting(
    logLevel.default('info'),
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; decisions have the level `debug`',
  ),
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
  if (isOff && value.CERTIFICATE_BINDING !== 'refused')
    fault('CERTIFICATE_BINDING', 'expected refused, because HTTPS_PORT is off')
})

export type Settings = z.output<typeof schema>

export const { settingSchemas, settingNames, readSettings } = settingsOf({
  service: 'greeting API',
  shape: shape.shape,
  schema,
  secretNames: tracingSecretNames,
})
