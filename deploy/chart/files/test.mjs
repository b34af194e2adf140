// `helm test`: asks the services of the release as a client does. It ends with the first wrong answer.

import { readFileSync } from 'node:fs'

const { IDENTITY_PROVIDER_URL, AUTH_URL, API_URL, CLIENTS_FILE } = process.env

async function ask(url, expected, init) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })
  const text = await answer.text()
  if (answer.status !== expected)
    throw new Error(`${url} answered ${answer.status}, not ${expected}`)
  process.stdout.write(`${url}: ${expected}\n`)
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
  const { tenantId, apis, clients } = JSON.parse(readFileSync(CLIENTS_FILE, 'utf8'))
  const path = `${tenantId}/v2.0/.well-known/openid-configuration`
  const { token_endpoint: endpoint } = JSON.parse(
    await ask(`${IDENTITY_PROVIDER_URL}/${path}`, 200),
  )
  if (!endpoint.startsWith(`${AUTH_URL}/`)) throw new Error(`${endpoint} is not below ${AUTH_URL}`)
  const [api] = apis
  const client = clients.find(({ clientSecret }) => clientSecret)
  if (!api || !client) return
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.applicationId,
    client_secret: client.clientSecret,
    scope: `api://${api.applicationId}/.default`,
  })
  const inside = endpoint.replace(AUTH_URL, IDENTITY_PROVIDER_URL)
  JSON.parse(await ask(inside, 200, { method: 'POST', body }))
}

await check().catch(({ message, cause }) => {
  process.stderr.write(`${cause ? `${message}: ${cause.message}` : message}\n`)
  process.exit(1)
})
