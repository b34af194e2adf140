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
import { checkSettings, issuerSettings } from '@greeting/http-service/guarded'
import { z } from 'zod'

const shape = z.object({
  ...issuerSettings,
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
  ...checkSettings,
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
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
