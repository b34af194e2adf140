import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { testErrorAnswers } from '../../../../packages/http-service/test/error-answer-conformance.ts'
import { rawRequest } from '../../../../packages/http-service/test/raw-http.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { startService } from '../../src/startup/service.ts'
import { readSettings } from '../../src/startup/settings.ts'
import { fixtureEnvironment } from '../startup/fixture-environment.ts'
import { tenantId, testService } from './test-service.ts'

const DATA_DIR = freshFolder()

describe('an error response of the identity provider (AS6, AS35)', () => {
  const request = (line: string, status: number, ...fields: string[]) => ({
    name: [line, ...fields].join(', '),
    bytes: rawRequest(`${line} HTTP/1.1`, 'Host: a', ...fields),
    status,
  })
  const endpoint = `/${tenantId}/oauth2/v2.0/token`
  const form = 'Content-Type: application/x-www-form-urlencoded'
  testErrorAnswers(
    () =>
      startService({
        settings: readSettings({ DATA_DIR, TENANT_ID: tenantId, PORT: '0', HTTPS_PORT: 'off' }),
        log: pino({ level: 'silent' }),
        environment: fixtureEnvironment,
      }),
    [
      request(`POST ${endpoint}`, 400, 'Content-Type: application/json'),
      request(`POST ${endpoint}`, 400, form),
      request(`POST ${endpoint}`, 413, form, 'Content-Length: 70000'),
      request(`GET ${endpoint}`, 405),
      request('GET /nothing', 404),
      request('POST /healthz', 404),
      request('DELETE /', 404),
      request('GET /error?code=1', 404),
      request('GET /error?code=1', 404, 'Accept: application/json'),
      request('GET /unknown.example/discovery/keys', 400),
      request('GET /common/discovery/instance', 400),
      request('GET /v1.0/applications', 401),
      request('GET /v1.0/nothing', 401),
    ],
  )
  // After the service has stopped, which writes its log.

  it('has status 500 and a JSON body without details when the app throws', async () => {
    const published = () => {
      throw new Error('canary')
    }
    const { app, logged } = await testService({ keys: { sign: async () => '', published } })
    const response = await app.request('http://login.test/readyz')
    assert.equal(response.status, 500)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.deepEqual(await response.json(), {
      error: 'server_error',
      error_description: 'The request could not be answered',
    })
    assert.equal(logged.length, 1)
  })

  it('has status 503 and a JSON body when the readiness check fails', async () => {
    const { app } = await testService({ isReady: () => false })
    const { status, headers } = await app.request('http://login.test/readyz')
    assert.equal(status, 503)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })
})
