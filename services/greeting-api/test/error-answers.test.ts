import { after, before, describe } from 'node:test'
import { pino } from 'pino'
import { testErrorAnswers } from '../../../packages/http-service/test/error-answer-conformance.ts'
import { rawRequest } from '../../../packages/http-service/test/raw-http.ts'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'

const provider = await startFakeIdentityProvider()
const signer = await Signer.make('key-1', provider.url)
const bearer = `Authorization: Bearer ${await signer.token()}`
const hiOnly = `Authorization: Bearer ${await signer.token({ roles: ['CallHiApiRole'] })}`

describe('an error response of the greeting API', () => {
  before(() => provider.publish(signer.jwk))
  after(() => provider.stop())

  const request = (line: string, status: number, ...fields: string[]) => ({
    name: [line, ...fields.map((field) => field.slice(0, 24))].join(', '),
    bytes: rawRequest(`${line} HTTP/1.1`, 'Host: a', ...fields),
    status,
  })
  testErrorAnswers(
    () =>
      startService(
        readSettings({
          TENANT_ID: tenantId,
          API_APPLICATION_ID: apiApplicationId,
          AUTH_URL: provider.url,
          ISSUER_URL: provider.url,
          PORT: '0',
        }),
        pino({ level: 'silent' }),
      ),
    [
      request('GET /api/v1/hello', 400, bearer),
      request('GET /api/v1/hi', 400, bearer, bearer),
      request('GET /api/v1/hi', 401),
      request('GET /api/v1/hi', 401, 'Authorization: Bearer x.y.z'),
      request('GET /api/v1/hello?name=Ada', 403, hiOnly),
      request('GET /nothing', 404),
      request('POST /healthz', 404),
      request('GET /api/v1/nothing', 404, bearer),
      request('DELETE /api/v1/hi', 405, bearer),
    ],
  )
})
