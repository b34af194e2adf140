import { readLogExportOptions, readTracingOptions, tracingForms } from '@greeting/tracing'
import { z } from 'zod'
import { limits } from '../listener/listener.ts'

/** The message of a schema: the form that a setting must have. */
export const expected = (form: string) => ({ error: `expected ${form}` })

/**
 * Describes a setting, for the reference that is generated from its schema.
 *
 * @param whenUnset the default in words, where it is no fixed value
 */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  whenUnset?: string,
): Schema => schema.meta({ description, whenUnset })

/** A number, which an environment has as text. */
const numberOrText = (message: { readonly error: string }) =>
  z.union([z.number(), z.string()], message)

const plainUrl = /^https?:\/\/[^\s?#@]*[^\s?#@/]$/

/** An address of a server, to which paths are appended. */
export const originUrl = z
  .string()
  .refine(
    (text) => plainUrl.test(text) && URL.canParse(text),
    expected('an http or https URL without a slash at its end'),
  )

/** A host name or an address at which a service listens. */
export const hostName = z.string().min(1, expected('a host name or an address'))

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The lowest level that the log contains. */
export const logLevel = z.enum(levels, expected(`one of ${levels.join(', ')}`))

/** A whole number, both limits included. */
export function wholeNumber(min: number, max: number) {
  const message = expected(`a whole number from ${min} to ${max}`)
  return numberOrText(message)
    .refine((value) => /^\d{1,9}$/.test(`${value}`), message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

/** The port of a listener, 0 for any free one; null for a listener that is off. */
export const portOrOff = (() => {
  const error = expected('a port from 0 to 65535, or off')
  return numberOrText(error)
    .refine(
      (port) => port === 'off' || (/^\d{1,5}$/.test(`${port}`) && Number(port) <= 65_535),
      error,
    )
    .transform((port) => (port === 'off' ? null : Number(port)))
})()

/** Whether several processes may listen on the ports of a service at the same time; by default off. */
export const reusePort = setting(
  z
    .enum(['off', 'on'], expected('on or off'))
    .default('off')
    .transform((value) => value === 'on'),
  '`on` lets [several processes](../guides/operating.md#several-processes-on-one-port) of the service listen on its ports; Linux only',
)

/** How long an idle connection stays open, in seconds: 1 to 3600, by default 75. */
export const keepAliveSeconds = setting(
  wholeNumber(1, 3600).default(limits.keepAliveTimeout / 1000),
  'how long an idle connection stays open, 1 to 3600; longer than the idle timeout of the proxy',
)

/** The settings of the listener for metrics, which is off by default. */
export const metricsSettings = {
  METRICS_HOST: setting(hostName.default('127.0.0.1'), 'the address of the listener for metrics'),
  METRICS_PORT: setting(
    portOrOff.default(null),
    'the port of the listener for [metrics](#metrics); 0 chooses a free one, `off` disables metrics',
  ),
} as const

/** How long a service accepts requests after a stop signal, in seconds: 0 to 300, by default 0. */
export const stopDelaySeconds = setting(
  wholeNumber(0, 300).default(0),
  'How long it accepts connections after a stop signal, 0 to 300. `/readyz` is 503 in that time, so that load balancers notice the stop, and [each response closes its connection](../guides/operating.md#health).',
)

const tracingSetting = (name: keyof typeof tracingForms) =>
  z
    .string()
    .refine((value) => {
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
      try {
        const values = { ...endpoint, [name]: value }
        readLogExportOptions(values, '')
        return readTracingOptions(values, '') !== undefined
      } catch {
        return false
      }
    }, expected(tracingForms[name]))
    .optional()

/** The settings of tracing, with the names of the OpenTelemetry specification. It is off by default. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    tracingSetting('OTEL_EXPORTER_OTLP_ENDPOINT'),
    'a collector of [traces](../guides/operating.md#traces), for example `http://127.0.0.1:4318`; without it there are none',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    tracingSetting('OTEL_EXPORTER_OTLP_HEADERS'),
    'header fields for the collector, `name=value` with commas, for example its credentials',
  ),
  OTEL_SERVICE_NAME: setting(
    z.string().max(100, expected('at most 100 characters')).optional(),
    'the name of the service in traces',
    'its name in the log',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    tracingSetting('OTEL_TRACES_SAMPLER_ARG'),
    'the share of the traces begun here that is sent, 0 to 1',
    'all',
  ),
} as const

/** The collector of log records, for a service that sends some. */
export const logsEndpoint = setting(
  tracingSetting('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'),
  'the URL for log records, for example `http://127.0.0.1:4318/v1/logs`',
  '`OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/logs`',
)

/** The settings of tracing whose values are never shown. */
export const tracingSecretNames = ['OTEL_EXPORTER_OTLP_HEADERS'] as const
