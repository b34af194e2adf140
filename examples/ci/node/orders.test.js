// An API behind the guard, and its tests with real tokens. The variables are those of test.env.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createGuard, entraFromEnvironment } from '@greeting/guard'
import { guardedFetch } from '@greeting/guard/web'

const { AUTH_URL, TENANT_ID, API_APPLICATION_ID, CLIENT_ID, CLIENT_ID_WITHOUT_ROLE } = process.env
const guard = createGuard(entraFromEnvironment({ roles: ['Orders.Read'] }))
const api = guardedFetch(guard, '/api', {
  'GET /orders': { role: 'Orders.Read', handler: () => Response.json([]) },
})

async function token(clientId) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: process.env.CLIENT_SECRET,
    scope: `api://${API_APPLICATION_ID}/.default`,
  })
  const url = `${AUTH_URL}/${TENANT_ID}/oauth2/v2.0/token`
  const answer = await fetch(url, { method: 'POST', body })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()).access_token
}

async function status(accessToken) {
  const headers = accessToken ? { authorization: `Bearer ${accessToken}` } : {}
  return (await api(new Request('http://api.example/api/orders', { headers }))).status
}

it('is 401 without a token', async () => assert.equal(await status(), 401))

it('is 401 with a forged signature', async () => {
  const [head, payload] = (await token(CLIENT_ID)).split('.')
  assert.equal(await status(`${head}.${payload}.AAAA`), 401)
})

it('is 403 without the role', async () => {
  assert.equal(await status(await token(CLIENT_ID_WITHOUT_ROLE)), 403)
})

it('is 200 with the role', async () => assert.equal(await status(await token(CLIENT_ID)), 200))
