import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientSecret } from '../src/credentials/credential.ts'
import { createGreetingClient } from '../src/greeting-client.ts'
import { createTokenSource } from '../src/token/token-source.ts'
import { type Answer, VirtualRuntime } from './fakes/virtual-runtime.ts'

const tenant = '8d3a6f0e-4c1b-4f5e-9a57-2f6d1c0b7e94'

// The headers of a recorded answer of Microsoft Entra ID.
const recordedHeaders = {
  'cache-control': 'no-store, no-cache',
  pragma: 'no-cache',
  expires: '-1',
  'content-type': 'application/json; charset=utf-8',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  p3p: 'CP="DSP CUR OTPi IND OTRi ONL FIN"',
  'x-ms-request-id': '5d8e3b9c-7a6f-4d21-9c0b-1e2f3a4b5c00',
  'x-ms-ests-server': '2.1.12529.16 - NCUS ProdSlices',
  'x-ms-clitelem': '1,0,0,,',
  'set-cookie': 'fpc=x; path=/; secure; HttpOnly',
}

const recorded =
  (status: number, body: object): Answer =>
  () =>
    new Response(JSON.stringify(body), { status, headers: recordedHeaders })

const grantedBy = (token: string) => ({
  token_type: 'Bearer',
  expires_in: 3599,
  ext_expires_in: 3599,
  access_token: token,
})

const refusalOf = (error: string, code: number, sentence: string) => ({
  error,
  error_description: `AADSTS${code}: ${sentence} Trace ID: 5d8e3b9c-7a6f-4d21-9c0b-1e2f3a4b5c00 Correlation ID: 0f6a1f7e-2f39-4b58-a2d3-4c5d6e7f8a90 Timestamp: 2026-08-13 09:14:02Z`,
  error_codes: [code],
  timestamp: '2026-08-13 09:14:02Z',
  trace_id: '5d8e3b9c-7a6f-4d21-9c0b-1e2f3a4b5c00',
  correlation_id: '0f6a1f7e-2f39-4b58-a2d3-4c5d6e7f8a90',
  error_uri: `https://login.microsoftonline.com/error?code=${code}`,
})

const sourceAt = (environment: VirtualRuntime) =>
  createTokenSource({
    authority: `https://login.microsoftonline.com/${tenant}`,
    clientId: 'c2a94e17-6b3d-48f0-9e5c-7d8b1f02a6e3',
    credential: clientSecret('Abc8Q~a.secret_of-40-characters.0123456789'),
    scope: 'api://5b0c8f52-7d1e-4a36-b8e4-93f1a2c6d705/.default',
    runtime: environment.runtime,
  })

describe('recorded responses of real Entra ID', () => {
  it('contain a token from the genuine host that the API accepts', async () => {
    const environment = new VirtualRuntime(recorded(200, grantedBy('eyJ0.eyJh.c2ln')), () => {
      return new Response('Hi', { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    })
    const tokens = sourceAt(environment)
    const baseUrl = 'https://greeting.example'
    const greetings = createGreetingClient({ baseUrl, tokens, runtime: environment.runtime })
    assert.equal(await greetings.hi(), 'Hi')
    assert.deepEqual(
      environment.sent.map(({ url }) => url),
      [
        `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
        'https://greeting.example/api/v1/hi',
      ],
    )
  })

  const refusals: readonly (readonly [number, string, number, string, string])[] = [
    [401, 'invalid_client', 7000215, 'Invalid client secret provided.', 'credential_refused'],
    [
      401,
      'invalid_client',
      7000222,
      'The provided client secret keys are expired.',
      'credential_refused',
    ],
    [
      400,
      'unauthorized_client',
      700016,
      'Application was not found in the directory.',
      'token_refused',
    ],
    [400, 'invalid_resource', 500011, 'The resource principal was not found.', 'token_refused'],
    [400, 'invalid_scope', 1002012, 'The provided value for scope is not valid.', 'token_refused'],
    [400, 'invalid_grant', 501051, 'Application is not assigned to a role.', 'token_refused'],
    [400, 'invalid_request', 90002, 'Tenant not found.', 'token_refused'],
  ]
  for (const [status, error, aadstsCode, sentence, code] of refusals) {
    it(`with AADSTS${aadstsCode} are reported with code, message and correlation ID`, async () => {
      const environment = new VirtualRuntime(
        recorded(status, refusalOf(error, aadstsCode, sentence)),
      )
      await assert.rejects(sourceAt(environment).token(), {
        code,
        message: new RegExp(`: AADSTS${aadstsCode}: ${sentence}$`),
        details: {
          status,
          oauthError: error,
          aadstsCode,
          correlationId: '0f6a1f7e-2f39-4b58-a2d3-4c5d6e7f8a90',
          traceId: '5d8e3b9c-7a6f-4d21-9c0b-1e2f3a4b5c00',
        },
      })
      assert.equal(environment.sent.length, 1)
    })
  }

  it('from a throttled tenant prevent requests for the seconds in Retry-After', async () => {
    const body = refusalOf('temporarily_unavailable', 90055, 'Too many requests.')
    const throttled: Answer = () =>
      new Response(JSON.stringify(body), {
        status: 429,
        headers: { ...recordedHeaders, 'retry-after': '4' },
      })
    const environment = new VirtualRuntime(throttled, recorded(200, grantedBy('eyJ0.eyJh.c2ln')))
    assert.equal(await sourceAt(environment).token(), 'eyJ0.eyJh.c2ln')
    assert.deepEqual(environment.sleptMs, [4_125])
  })
})
