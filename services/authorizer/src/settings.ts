import {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  proxyList,
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
import { isProxyName, proxyNames } from './original-request.ts'

const proxyForm = expected(`${proxyNames.slice(0, -1).join(', ')} or ${proxyNames.at(-1)}`)

const schema = z.object({
  RULES_FILE: setting(
    z.string(expected('the file of rules')),
    'the file of [rules](../reference/authorizer.md#rules)',
  ),
  PROXY: setting(
    z.string(proxyForm).refine(isProxyName, proxyForm),
    'the proxy that asks: `nginx`, `haproxy`, `envoy`, `traefik` or `caddy`; it decides where the original request is read',
  ),
  TRUSTED_PROXIES: setting(
    proxyList.default(['127.0.0.0/8', '::1']),
    'addresses and networks that may ask; others get 403',
  ),
  ...issuerSettings,
  HOST: setting(
    hostName.default('127.0.0.1'),
    'the address of the listener; `::` is every address, also of IPv4',
  ),
  PORT: setting(
    wholeNumber(0, 65_535).default(4100),
    'the port of the listener; 0 chooses a free one',
  ),
  ...metricsSettings,
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

export type Settings = z.output<typeof schema>

export const { settingSchemas, settingNames, readSettings } = settingsOf({
  service: 'authorizer',
  shape: schema.shape,
  schema,
  secretNames: tracingSecretNames,
})
