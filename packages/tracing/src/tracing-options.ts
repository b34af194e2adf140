import type { LogExportOptions } from './log-export.ts'
import type { TracingOptions } from './tracing.ts'

/** The settings of tracing, with the names of the OpenTelemetry specification. */
export type TracingSettings = Readonly<
  Partial<
    Record<
      | 'OTEL_EXPORTER_OTLP_ENDPOINT'
      | 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'
      | 'OTEL_EXPORTER_OTLP_HEADERS'
      | 'OTEL_SERVICE_NAME'
      | 'OTEL_TRACES_SAMPLER_ARG',
      string | undefined
    >
  >
>

/** The error for an invalid tracing setting. The message names the setting, without a value that may be secret. */
export class TracingOptionsError extends TypeError {
  readonly code = 'tracing_options'
  override readonly name = 'TracingOptionsError'
  readonly setting: keyof TracingSettings

  constructor(setting: keyof TracingSettings, form: string) {
    super(`${setting} is invalid; expected ${form}`)
    this.setting = setting
  }
}

/** The expected format of each setting, for error messages. */
export const tracingForms = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'an http or https URL without user, query and fragment',
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'an http or https URL without user, query and fragment',
  OTEL_EXPORTER_OTLP_HEADERS: 'name=value pairs, separated by commas, with URL-encoded values',
  OTEL_TRACES_SAMPLER_ARG: 'a number from 0 to 1',
} as const

const maxHeaders = 20
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const ratio = /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/

/**
 * Reads the settings of tracing. An empty value counts as not set.
 *
 * @param serviceName the name in traces unless `OTEL_SERVICE_NAME` is set
 * @returns undefined without an endpoint: tracing is off
 * @throws {TracingOptionsError} tracing_options when a setting has another form
 * @see OpenTelemetry specification, environment variables and OTLP exporter
 */
export function readTracingOptions(
  settings: TracingSettings,
  serviceName: string,
): TracingOptions | undefined {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return undefined
  return {
    endpoint: readBase(endpoint),
    headers: readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS),
    serviceName: settings.OTEL_SERVICE_NAME || serviceName,
    sampleRatio: readRatio(settings.OTEL_TRACES_SAMPLER_ARG),
  }
}

/**
 * Reads the settings of a collector of log records. An empty value counts as not set.
 *
 * @param serviceName the name in the records unless `OTEL_SERVICE_NAME` is set
 * @returns undefined without an endpoint
 * @throws {TracingOptionsError} tracing_options when a setting has another form
 * @see OpenTelemetry protocol exporter, "Endpoint URLs for OTLP/HTTP"
 */
export function readLogExportOptions(
  settings: TracingSettings,
  serviceName: string,
): LogExportOptions | undefined {
  const { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings
  if (!own && !base) return undefined
  return {
    // The URL of one signal is used as it is.
    url: own
      ? readEndpoint('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', own)
      : `${readBase(base ?? '')}/v1/logs`,
    headers: readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS),
    serviceName: settings.OTEL_SERVICE_NAME || serviceName,
  }
}

const readBase = (text: string) =>
  readEndpoint('OTEL_EXPORTER_OTLP_ENDPOINT', text).replace(/\/$/, '')

function readEndpoint(setting: keyof typeof tracingForms, text: string): string {
  const url = URL.parse(text)
  const isPlain =
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  if (url === null || !isPlain) throw invalid(setting)
  return text
}

function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  if (!text) return {}
  const pairs = text.split(',', maxHeaders + 1)
  if (pairs.length > maxHeaders) throw invalid('OTEL_EXPORTER_OTLP_HEADERS')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      const name = pair.slice(0, Math.max(at, 0)).trim()
      if (!fieldName.test(name)) throw invalid('OTEL_EXPORTER_OTLP_HEADERS')
      try {
        return [name, decodeURIComponent(pair.slice(at + 1).trim())]
      } catch {
        throw invalid('OTEL_EXPORTER_OTLP_HEADERS')
      }
    }),
  )
}

function readRatio(text: string | undefined): number {
  if (!text) return 1
  if (!ratio.test(text)) throw invalid('OTEL_TRACES_SAMPLER_ARG')
  return Number(text)
}

const invalid = (setting: keyof typeof tracingForms) =>
  new TracingOptionsError(setting, tracingForms[setting])
