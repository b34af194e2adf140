import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Span, SpanKind, SpanStart, Tracing, TracingOptions } from './tracing.ts'

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  internal: OtelKind.INTERNAL,
}

const stopTimeoutMs = 2000
const exportDelayMs = 1000
/** A longer value is cut: no client can fill a trace. */
const maxAttributeCharacters = 512

const getter = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, key: string) => headers.get(key) ?? undefined,
}
const setter = { set: (headers: Headers, key: string, value: string) => headers.set(key, value) }

/** Tracing with the OpenTelemetry SDK. It changes no global state, so that several services can run in one process. */
export function openTelemetry(options: TracingOptions): Tracing {
  const { endpoint, headers, serviceName, sampleRatio } = options
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: stopTimeoutMs,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeCharacters },
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportDelayMs })],
  })
  const tracer = provider.getTracer('greeting')
  const propagator = new W3CTraceContextPropagator()
  // Node keeps the context of a request for the timers that it started. A later run of such a timer
  // must not extend a trace that has ended.
  const current = new AsyncLocalStorage<{ readonly context: Context; isEnded: boolean }>()
  const running = () => {
    const store = current.getStore()
    return store === undefined || store.isEnded ? ROOT_CONTEXT : store.context
  }

  const run = async <Value>(
    { name, kind, attributes, received, sent }: SpanStart,
    work: (span: Span) => Promise<Value>,
  ): Promise<Value> => {
    const parent = received ? propagator.extract(ROOT_CONTEXT, received, getter) : running()
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes: { ...attributes } },
      parent,
    )
    const context = trace.setSpan(parent, span)
    const store = { context, isEnded: false }
    if (sent !== undefined) propagator.inject(context, sent, setter)
    try {
      return await current.run(store, () => work(spanOf(span)))
    } catch (cause) {
      // The name of the class only: a message may contain input.
      const reason = cause instanceof Error ? cause.name : 'error'
      span.setAttribute('error.type', reason)
      span.setStatus({ code: SpanStatusCode.ERROR, message: reason })
      throw cause
    } finally {
      store.isEnded = true
      span.end()
    }
  }
  const currentSpan = () => trace.getSpan(running())
  return {
    run,
    annotate: (attributes) => void currentSpan()?.setAttributes({ ...attributes }),
    logFields: () => {
      const ids = currentSpan()?.spanContext()
      return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId }
    },
    traceFetch: (fetch) => async (input, init) => {
      const request = new Request(input, init)
      const { method } = request
      const { hostname, port, pathname } = new URL(request.url)
      const sent = new Headers(request.headers)
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        ...(port !== '' && { 'server.port': Number(port) }),
        'url.path': pathname,
      }
      return run({ name: method, kind: 'client', attributes, sent }, async (span) => {
        const response = await fetch(input, { ...init, headers: sent })
        span.annotate({ 'http.response.status_code': response.status })
        if (!response.ok) span.fail(String(response.status))
        return response
      })
    },
    stop: async () => {
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, stopTimeoutMs)
      await Promise.race([provider.shutdown().catch(() => undefined), timeout.promise])
      clearTimeout(timer)
    },
  }
}

const spanOf = (span: OtelSpan): Span => ({
  annotate: (attributes) => void span.setAttributes({ ...attributes }),
  rename: (name) => void span.updateName(name),
  fail: (reason) => {
    span.setAttribute('error.type', reason)
    span.setStatus({ code: SpanStatusCode.ERROR })
  },
})
