import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { clientSecret, createGreetingClient, createTokenSource } from '../src/index.ts'
import {
  type Answer,
  cutInMidBody,
  grant,
  json,
  text,
  VirtualRuntime,
} from './fakes/virtual-runtime.ts'

const secret = 'canary secret/+~&='
const token = 'canary.token.sig'

const echo: Answer = ({ form }) => {
  throw Object.assign(new Error(`could not send ${form}`), {
    request: form.toString(),
    cause: new Error(`with ${form.get('client_secret')}`),
  })
}
const echoToken: Answer = ({ headers }) => {
  const authorization = headers.get('authorization')
  throw Object.assign(new Error(`could not send ${authorization}`), { options: { authorization } })
}
const told = (status: number, what: string): Answer =>
  json(status, { error: what, error_description: `no ${what}`, correlation_id: what })

// Faults of both servers. Each of them repeats the content of its request.
const faults: readonly (readonly [string, Answer, Answer])[] = [
  ['token request fails', echo, text(200, '')],
  ['credential refused', told(401, secret), text(200, '')],
  ['token request refused', told(400, secret), text(200, '')],
  ['identity provider busy', told(503, secret), text(200, '')],
  ['token answer incomplete', cutInMidBody(secret), text(200, '')],
  ['token answer malformed', text(200, secret), text(200, '')],
  ['token with a line break', grant(`${token}\n`), text(200, '')],
  ['call fails', grant(token), echoToken],
  [
    'token rejected',
    grant(token),
    text(401, token, { 'www-authenticate': `Bearer error_description="${token}"` }),
  ],
  ['role missing', grant(token), told(403, token)],
  ['request refused', grant(token), told(400, token)],
  ['API busy', grant(token), text(503, token)],
  ['answer is not a greeting', grant(token), json(200, token, { 'content-type': token })],
]

describe('secrets and tokens', () => {
  for (const [fault, identityProvider, api] of faults) {
    it(`appear in no error: ${fault} (CL2)`, async () => {
      const environment = new VirtualRuntime((request, signal) =>
        (request.url.includes('login') ? identityProvider : api)(request, signal),
      )
      const tokens = createTokenSource({
        authority: 'https://login.example/tenant',
        clientId: 'client-id',
        credential: clientSecret(secret),
        scope: 'api://api-id/.default',
        deadlineMs: 1,
        runtime: environment.runtime,
      })
      const baseUrl = 'https://api.example'
      const client = createGreetingClient({
        baseUrl,
        tokens,
        deadlineMs: 1,
        runtime: environment.runtime,
      })
      await assert.rejects(client.hi(), (error: unknown) => {
        assert.ok(error instanceof Error)
        const shown = [
          inspect(error, { depth: 10, showHidden: true }),
          JSON.stringify(error),
          error.stack,
        ]
        assert.doesNotMatch(shown.join('\n'), /canary/)
        return true
      })
      assert.doesNotMatch(inspect([tokens, client, clientSecret(secret)], { depth: 10 }), /canary/)
    })
  }
})
