import { isAbsolute } from 'node:path'
import { expected, logsEndpoint, setting, wholeNumber } from '@greeting/http-service'
import { readLogExportOptions, type TracingSettings } from '@greeting/tracing'
import { z } from 'zod'

/** A log store that receives the audit records, with the members of its kind. */
export type AuditTarget = {
  /** The target as the setting has it. */
  readonly name: string
  readonly kind: 'otlp' | 'file' | 'unix' | 'tcp' | 'tls'
  readonly path: string
  readonly host: string
  readonly port: number
}

const target =
  /^(?:(otlp)|(file|unix):(.+)|(tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5}))$/s
const maxPort = 65_535

/** @returns undefined when the text has another form */
function parseTarget(name: string): AuditTarget | undefined {
  const [found, otlp, pathKind, path = '', hostKind, address, host = address ?? '', digits] =
    target.exec(name) ?? []
  const port = Number(digits ?? 1)
  const isValid = (pathKind === undefined || isAbsolute(path)) && port >= 1 && port <= maxPort
  if (found === undefined || !isValid) return undefined
  return { name, kind: (otlp ?? pathKind ?? hostKind) as AuditTarget['kind'], path, host, port }
}

const auditTargets = z
  .union([z.string(), z.array(z.string()).readonly()])
  .transform((entries) => [
    ...new Set(
      String(entries)
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    ),
  ])
  .refine(
    (entries) => entries.every((entry) => parseTarget(entry) !== undefined),
    expected(
      'otlp, file:/path, unix:/path, tcp://host:port or tls://host:port, separated by commas',
    ),
  )
  .transform((entries) => entries.flatMap((entry) => parseTarget(entry) ?? []))

const minRecords = 1000
const maxRecords = 10_000_000
const recordsOrNone = wholeNumber(0, maxRecords).refine(
  (records) => records === 0 || records >= minRecords,
  expected(`0, or a whole number from ${minRecords} to ${maxRecords}`),
)

/** The settings of the audit log and of the sign-in log. */
export const auditSettings = {
  MAX_SIGN_IN_RECORDS: setting(
    recordsOrNone.default(1_000_000),
    'the limit of records of authenticated clients in the sign-in log, 1000 to 10000000; the oldest are deleted. With `AUDIT_EXPORT`, 0 keeps none',
  ),
  MAX_UNAUTHENTICATED_RECORDS: setting(
    recordsOrNone.default(100_000),
    'the limit of records of requests before authentication in the sign-in log, 1000 to 10000000; the oldest are deleted. With `AUDIT_EXPORT`, 0 keeps none',
  ),
  MAX_REFUSED_CHANGE_RECORDS: setting(
    wholeNumber(minRecords, maxRecords).default(100_000),
    'the limit of records of refused changes in the audit log, 1000 to 10000000; the oldest are deleted',
  ),
  AUDIT_EXPORT: setting(
    auditTargets.prefault([]),
    'where [both logs are sent](../guides/storage.md#send-the-logs-elsewhere): `otlp`, `file:/path`, `unix:/path`, `tcp://host:port` or `tls://host:port`, separated by commas',
  ),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: logsEndpoint,
} as const

type AuditSettings = z.output<z.ZodObject<typeof auditSettings>>

/** The faults in a combination of settings, by setting. */
export function auditFaults(
  settings: AuditSettings & TracingSettings,
): readonly { readonly name: keyof AuditSettings; readonly message: string }[] {
  const targets = settings.AUDIT_EXPORT
  const isOff = (name: 'MAX_SIGN_IN_RECORDS' | 'MAX_UNAUTHENTICATED_RECORDS') =>
    settings[name] === 0 && targets.length === 0
      ? [{ name, message: `expected ${minRecords} or more, because AUDIT_EXPORT is not set` }]
      : []
  const hasNoCollector =
    targets.some(({ kind }) => kind === 'otlp') && readLogExportOptions(settings, '') === undefined
  return [
    ...isOff('MAX_SIGN_IN_RECORDS'),
    ...isOff('MAX_UNAUTHENTICATED_RECORDS'),
    ...(hasNoCollector ? [{ name: 'AUDIT_EXPORT' as const, message: otlpNeedsCollector }] : []),
  ]
}

const otlpNeedsCollector =
  'expected OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT to be set, because it has otlp'
