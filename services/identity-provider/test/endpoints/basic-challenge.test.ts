import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { clientId, scope, type TestService, testService } from './test-service.ts'

let service: TestService

before(async () => {
  service = await testService()
})

const basic = (secret: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
})
const form = { grant_type: 'client_credentials', scope }

describe('the challenge of the token endpoint (AS5)', () => {
  it('is sent to a client with Basic authentication, and contains the refusal', async () => {
    const response = await service.token(form, basic('wrong'))
    assert.equal(response.status, 401)
    const { error_description } = await response.json()
    assert.match(error_description, /^AADSTS7000215: /)
    assert.equal(
      response.headers.get('www-authenticate'),
      `Basic realm="token endpoint", charset="UTF-8", error="invalid_client", error_description="${error_description}"`,
    )
  })

  it('is omitted for a client with credentials in the form', async () => {
    const response = await service.token(service.form({ client_secret: 'wrong' }))
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('www-authenticate'), null)
  })

  it('is omitted for another refusal', async () => {
    const response = await service.token({ ...form, scope: 'nonsense' }, basic(service.secret))
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('www-authenticate'), null)
  })
})
