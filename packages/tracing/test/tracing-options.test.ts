import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readLogExportOptions, readTracingOptions } from '../src/tracing-options.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.test:4318'

describe('the tracing settings', () => {
  it('disable tracing without an endpoint', () => {
    assert.equal(readTracingOptions({}, 'api'), undefined)
    assert.equal(readTracingOptions({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'api'), undefined)
  })

  it('have defaults', () => {
    assert.deepEqual(readTracingOptions({ OTEL_EXPORTER_OTLP_ENDPOINT }, 'api'), {
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: {},
      serviceName: 'api',
      sampleRatio: 1,
    })
  })

  it('are read in the specified format', () => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-scope = a=b',
      OTEL_SERVICE_NAME: 'orders',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }
    assert.deepEqual(readTracingOptions(settings, 'api'), {
      endpoint: 'https://collector.test/otlp',
      headers: { authorization: 'Bearer x', 'x-scope': 'a=b' },
      serviceName: 'orders',
      sampleRatio: 0.25,
    })
  })

  for (const [setting, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://collector.test'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:canary@collector.test'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.test?key=canary'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', Array(21).fill('a=canary').join(',')],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ] as const) {
    it(`refuse ${setting}=${value.slice(0, 40)} without repeating the value`, () => {
      const settings = { OTEL_EXPORTER_OTLP_ENDPOINT, [setting]: value }
      assert.throws(
        () => readTracingOptions(settings, 'api'),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'tracing_options')
          assert.ok(error.message.startsWith(`${setting} is invalid; expected `))
          assert.ok(!error.message.includes('canary'))
          return true
        },
      )
    })
  }
})

describe('the settings for a log collector', () => {
  const url = 'https://logs.test/otlp/v1/logs/'
  for (const [settings, expected] of [
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT }, `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/logs`],
    [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url }, url],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url }, url],
  ] as const)
    it(`result in the URL ${expected} with ${Object.keys(settings).join(' and ') || 'none'}`, () => {
      assert.equal(readLogExportOptions(settings, 'idp')?.url, expected)
    })

  it('include the header fields and the service name', () => {
    const settings = {
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=key',
      OTEL_SERVICE_NAME: 'login',
    }
    assert.deepEqual(readLogExportOptions(settings, 'idp'), {
      url,
      headers: { authorization: 'key' },
      serviceName: 'login',
    })
  })

  it('refuse a URL with a user, without repeating the value', () => {
    const settings = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://user:canary@logs.test' }
    assert.throws(() => readLogExportOptions(settings, 'idp'), {
      code: 'tracing_options',
      message: /^OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is invalid; expected [^c]*$/,
    })
  })
})
