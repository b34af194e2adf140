import {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  proxyList,
  readSettings as readSettingsOf,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
  workerCount,
} from '@greeting/http-service'
import { checkSettings, issuerSettings } from '@greeting/http-service/guarded'
import { z } from 'zod'
import { isProxyName, proxyNames } from './original-request.ts'

const proxyForm = expected(`${proxyNames.slice(0, -1).join(', ')} or ${proxyNames.at(-1)}`)

const schema = z.object({
  RULES_FILE: z.string(expected('the file of rules')),
  PROXY: z.string(proxyForm).refine(isProxyName, proxyForm),
  TRUSTED_PROXIES: proxyList.default(['127.0.0.0/8', '::1']),
  ...issuerSettings,
  HOST: hostName.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4100),
  ...metricsSettings,
  ...checkSettings,
  KEEP_ALIVE_SECONDS: keepAliveSeconds,
  STOP_DELAY_SECONDS: stopDelaySeconds,
  ...tracingSettings,
  WORKERS: workerCount,
  LOG_LEVEL: logLevel.default('info'),
})

/** The validated settings of the authorizer. */
export type Settings = z.output<typeof schema>

/** The names of all settings. The reference page must list each of them. */
export const settingNames = Object.keys(schema.shape)

/**
 * Reads the settings from an environment. An empty value counts as not set.
 *
 * @throws {SettingsError} settings_invalid with all faults
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  return readSettingsOf(environment, {
    service: 'authorizer',
    schema,
    names: settingNames,
    secretNames: new Set(tracingSecretNames),
  })
}
