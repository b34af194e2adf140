// Opens real TLS connections, on every runtime, with the installed packages.
import { clientSecret, createTokenSource, fetchWithToken } from '@greeting/client'
import { createGuard, entra } from '@greeting/guard'

/** The answer of the API, and the decision of a guard that requests its keys over HTTPS. */
export async function runSuite({ settings, authUrl, baseUrl }) {
  const { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId } = settings
  const tokens = createTokenSource({
    authority: `${authUrl}/${tenantId}`,
    clientId: settings.CLIENT_ID,
    credential: clientSecret(settings.CLIENT_SECRET),
    scope: `api://${apiApplicationId}/.default`,
  })
  try {
    const response = await fetchWithToken({ baseUrl, tokens })('/api/v1/hi')
    const roles = ['CallHiApiRole']
    const issuerUrl = settings.AUTH_URL
    const guard = createGuard(entra({ tenantId, apiApplicationId, roles, authUrl, issuerUrl }))
    const authorization = `Bearer ${await tokens.token()}`
    const { outcome } = await guard.decide({ authorization, target: '/' }, 'CallHiApiRole')
    guard.stop()
    return [response.status, await response.text(), outcome]
  } catch (error) {
    return [error?.code, String(error?.cause?.message ?? error)]
  }
}
