import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type OtlpValue = { stringValue?: string; intValue?: number; boolValue?: boolean }
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes?: { key: string; value: OtlpValue }[]
  status?: { code?: number }
}
type OtlpRequest = {
  resourceSpans: {
    resource: { attributes: { key: string; value: OtlpValue }[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

/** A span as a collector receives it. */
export type ReceivedSpan = Pick<OtlpSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> & {
  readonly service: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly isFailed: boolean
}

const valuesOf = (attributes: OtlpRequest['resourceSpans'][0]['resource']['attributes'] = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue),
    ]),
  )

const errorStatus = 2
const pollMs = 50

/** A collector for OTLP over HTTP in JSON, which keeps the spans. */
export async function startCollector(status = 200) {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    headers.push(request.headers.authorization)
    if (request.url === '/v1/traces' && status === 200) {
      const { resourceSpans } = JSON.parse(body) as OtlpRequest
      for (const { resource, scopeSpans } of resourceSpans)
        for (const { spans: received } of scopeSpans)
          for (const span of received)
            spans.push({
              ...span,
              service: String(valuesOf(resource.attributes)['service.name']),
              attributes: valuesOf(span.attributes),
              isFailed: span.status?.code === errorStatus,
            })
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly ReceivedSpan[],
    /** The authorization field of each request. */
    headers,
    /** Everything that was received, as text. */
    text: () => bodies.join('\n'),
    /** Waits until the spans have arrived. The runner ends a test that waits for ever. */
    until: async (isComplete: () => boolean) => {
      while (!isComplete()) await sleep(pollMs)
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
