import { type LogEvent, type LogExportOptions, openLogSender } from '@greeting/tracing'
import type { AuditSink } from './audit-outlet.ts'
import { type ExportedRecord, membersOf } from './exported-record.ts'

/** Sends records as events to an OpenTelemetry collector. */
export function otlpSink(options: LogExportOptions): AuditSink {
  let opening: ReturnType<typeof openLogSender> | undefined
  return {
    send: async (records) => {
      opening ??= openLogSender(options)
      const { rejected } = await (await opening).send(records.map(eventOf))
      return rejected
    },
    close: async () => (await opening)?.close(),
  }
}

/** The event of a record: its members are attributes such as `greeting.tenant_id`. */
function eventOf(exported: ExportedRecord): LogEvent {
  const { at, action, outcome } = exported.record
  const attributes = Object.entries(membersOf(exported)).flatMap(([member, value]) =>
    member === 'at' || value === null ? [] : [[attributeOf(member), value] as const],
  )
  return {
    at,
    name: `greeting.${action}`,
    isWarning: outcome === 'refused',
    attributes: Object.fromEntries(attributes),
  }
}

const attributeOf = (member: string) =>
  `greeting.${member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
