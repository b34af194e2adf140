// `helm test`: asks the services of the release as a client does. It ends with the first wrong answer.

import { existsSync, readFileSync } from 'node:fs'

const { IDENTITY_PROVIDER_URL, AUTH_URL, API_URL, API_APPLICATION_ID, CLIENTS_FILE } = process.env

async function ask(url, expected, init) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })
  const text = await answer.text()
  if (![expected].flat().includes(answer.status))
    throw new Error(`${url} answered ${answer.status}, not ${expected}`)
  process.stdout.write(`${url}: ${answer.status}\n`)
  return text
}

async function check() {
  if (API_URL) {
    await ask(`${API_URL}/readyz`, 200)
    await ask(`${API_URL}/api/v1/hi`, 401)
  }
  if (!IDENTITY_PROVIDER_URL) return
  await ask(`${IDENTITY_PROVIDER_URL}/readyz`, 200)
  if (!CLIENTS_FILE) return
  if (!existsSync(CLIENTS_FILE)) {
    process.stdout.write('The Secret of the clients is empty: no token is requested.\n')
    return
  }
  const { tenantId, apis, clients } = JSON.parse(readFileSync(CLIENTS_FILE, 'utf8'))
  const path = `${tenantId}/v2.0/.well-known/openid-configuration`
  const { token_endpoint: endpoint } = JSON.parse(
    await ask(`${IDENTITY_PROVIDER_URL}/${path}`, 200),
  )
  if (!endpoint.startsWith(`${AUTH_URL}/`)) throw new Error(`${endpoint} is not below ${AUTH_URL}`)
  const own = apis.find(({ applicationId }) => applicationId === API_APPLICATION_ID)
  const api = own ?? apis[0]
  const client = clients.find(({ clientSecret }) => clientSecret)
  if (!api || !client) return
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.applicationId,
    client_secret: client.clientSecret,
    scope: `api://${api.applicationId}/.default`,
  })
  const inside = endpoint.replace(AUTH_URL, IDENTITY_PROVIDER_URL)
  const { access_token: token } = JSON.parse(await ask(inside, 200, { method: 'POST', body }))
  const headers = { authorization: `Bearer ${token}` }
  // 403: the API accepts the token, but the client has not the role.
  if (API_URL && own) await ask(`${API_URL}/api/v1/hi`, [200, 403], { headers })
}

await check().catch(({ message, cause }) => {
  process.stderr.write(`${cause ? `${message}: ${cause.message}` : message}\n`)
  process.exit(1)
})
