import { type RefusalScenario, refused } from './refusal-scenario.ts'
import { tenantId } from './test-service.ts'

const invalidRequest = { status: 400, error: 'invalid_request', hasErrorUri: true }
const instance = (query: Record<string, string>) => ({
  method: 'GET',
  path: `/common/discovery/instance?${new URLSearchParams(query)}`,
})
const noTenant = (tenant: string) =>
  `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant.`
const authorize = `https://login.test/${tenantId}/oauth2/v2.0/authorize`

/** The causes of refused requests for documents (entra E121, entra E126 to E129). */
export const documentRefusalScenarios: readonly RefusalScenario[] = [
  {
    reason: 'tenant_unknown_at_discovery',
    request: () => ({
      method: 'GET',
      path: '/contoso.example/v2.0/.well-known/openid-configuration',
    }),
    ...invalidRequest,
    error: 'invalid_tenant',
    code: 90002,
    text: noTenant('contoso.example'),
  },
  {
    reason: 'instance_unknown',
    request: () =>
      instance({
        'api-version': '1.1',
        authorization_endpoint: 'https://evil.example/x/oauth2/v2.0/authorize',
      }),
    ...invalidRequest,
    error: 'invalid_instance',
    code: 50049,
    text: 'Unknown or invalid instance.',
  },
  {
    reason: 'instance_api_version_unsupported',
    request: () => instance({ authorization_endpoint: authorize }),
    ...refused(400, 'invalid_request', 500501),
    hasErrorUri: false,
    text: /api-version/,
  },
  {
    reason: 'instance_parameters_invalid',
    request: () => instance({ 'api-version': '1.1' }),
    ...refused(400, 'invalid_request', 500502),
    hasErrorUri: false,
    text: /'issuer' and 'authorization_endpoint'/,
  },
  {
    reason: 'instance_not_https',
    request: () =>
      instance({
        'api-version': '1.1',
        authorization_endpoint: authorize.replace('https', 'http'),
      }),
    ...refused(400, 'invalid_request', 50050),
    text: /https/,
  },
]
