import { SeverityNumber } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import { JsonLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { LogExportError, type LogExportOptions, type LogSender } from './log-export.ts'

const timeoutMs = 10_000
const scope = { name: 'greeting' }
/** A request with one of these has a fault that no repetition corrects. */
const faultsOfRequest: ReadonlySet<number> = new Set([400, 413, 422])

/**
 * Sends log records over OTLP in JSON. The SDK's exporter does not report how many records a
 * collector rejected, so only its serializer is used.
 *
 * @see OTLP specification, sections "OTLP/HTTP response" and "OTLP/HTTP throttling"
 */
export function openTelemetryLogs(
  { url, headers, serviceName }: LogExportOptions,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): LogSender {
  const resource = resourceFromAttributes({ 'service.name': serviceName })
  const closed = new AbortController()
  return {
    send: async (events) => {
      const records = events.map(({ at, name, isWarning, attributes }) => {
        const hrTime = millisToHrTime(at.getTime())
        return {
          hrTime,
          hrTimeObserved: hrTime,
          severityNumber: isWarning ? SeverityNumber.WARN : SeverityNumber.INFO,
          severityText: isWarning ? 'WARN' : 'INFO',
          eventName: name,
          body: name,
          resource,
          instrumentationScope: scope,
          attributes: { ...attributes },
          droppedAttributesCount: 0,
        }
      })
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JsonLogsSerializer.serializeRequest(records) as Uint8Array<ArrayBuffer>,
        // Another host must not get the credentials.
        redirect: 'error',
        signal: AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)]),
      })
      const body = new Uint8Array(await response.arrayBuffer())
      if (faultsOfRequest.has(response.status)) return { rejected: events.length }
      if (!response.ok) throw new LogExportError(response.status, retryAfterMs(response.headers))
      const { partialSuccess } = JsonLogsSerializer.deserializeResponse(body)
      // An int64 is a string in JSON.
      return { rejected: Number(partialSuccess?.rejectedLogRecords ?? 0) }
    },
    close: () => closed.abort(),
  }
}

/** The delay that a collector demands; undefined when it demands none in seconds. */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}
