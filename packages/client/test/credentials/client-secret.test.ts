import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { clientSecret } from '../../src/credentials/credential.ts'
import { createSourceOf } from '../../src/token/token-source.ts'
import { type Answer, grant, json, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const secret = 'canary-1 ~+&:%ü'
const encoded = 'canary-1+%7E%2B%26%3A%25%C3%BC'

async function sentWith(methods: string[], answer: Answer = grant('t1')) {
  const environment = new VirtualRuntime(answer)
  const { runtime } = environment
  const metadata = {
    issuer: 'https://login.example',
    token_endpoint_auth_methods_supported: methods,
  }
  const token = createSourceOf(
    { credential: clientSecret(secret), runtime },
    { tokenEndpoint: 'https://login.example/token', clientId: 'client-id', metadata },
  ).token()
  const error = await token.then(
    () => undefined,
    (reason) => reason,
  )
  return { sent: environment.sent[0], error }
}

describe('a client secret for a server with metadata', () => {
  const rows: readonly (readonly [string, string[], boolean])[] = [
    [
      'in the form if the server lists that method',
      ['client_secret_basic', 'client_secret_post'],
      false,
    ],
    ['in a Basic header if the server lists only that method', ['client_secret_basic'], true],
  ]
  for (const [what, methods, isBasic] of rows) {
    it(`is sent ${what}`, async () => {
      const { sent } = await sentWith(methods)
      const [scheme, pair = ''] = sent?.headers.get('authorization')?.split(' ') ?? []
      assert.equal(sent?.form.get('client_secret'), isBasic ? null : secret)
      assert.equal(scheme, isBasic ? 'Basic' : undefined)
      assert.equal(atob(pair), isBasic ? `client-id:${encoded}` : '')
    })
  }

  it('appears in no error, even in HTTP Basic encoding', async () => {
    const pair = btoa(`client-id:${encoded}`)
    for (const told of [secret, encoded, pair, `Basic ${pair}`]) {
      const answer = json(401, { error: 'invalid_client', error_description: `no ${told}` })
      const { error } = await sentWith(['client_secret_basic'], answer)
      assert.equal(error.code, 'credential_refused')
      const shown = inspect(error, { depth: 10, showHidden: true })
      assert.ok(!shown.includes('canary') && !shown.includes(pair))
    }
  })
})
