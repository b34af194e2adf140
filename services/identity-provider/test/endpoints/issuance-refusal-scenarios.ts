import {
  createPassword,
  put,
  remove,
  systemRuntime,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import {
  application,
  policy,
  servicePrincipal,
} from '../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { FailedLoginRateLimit } from '../../src/endpoints/failed-login-rate-limit.ts'
import { changeClient } from './client-change.ts'
import { type RefusalScenario, refused } from './refusal-scenario.ts'
import { apiId, clientId, scope, type TestService, tenantId } from './test-service.ts'

const unknownId = '99999999-0000-4000-8000-000000000000'
const blueprint = { sponsorIds: [], inheritablePermissions: [] }
const wrongTenant =
  'This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant.'
async function resourcePrincipal(service: TestService, part: object) {
  const principal = (await wholeDirectory(service.store)).servicePrincipalByAppId(tenantId, apiId)
  if (principal) await service.change(put('servicePrincipal', { ...principal, ...part }))
}

async function withoutAssignments(service: TestService) {
  const directory = await wholeDirectory(service.store)
  const principal = directory.servicePrincipalByAppId(tenantId, clientId)
  const assignments = directory.assignmentsOf(principal?.id ?? '')
  await service.change(...assignments.map(({ id }) => remove('appRoleAssignment', id)))
}

async function becomeBlueprint(service: TestService) {
  await changeClient(service, { blueprint })
  const names = { id: tokenExchangeAppId, appId: tokenExchangeAppId, tenantId }
  const api = application(names)
  const principal = servicePrincipal(names)
  await service.change(put('application', api), put('servicePrincipal', principal))
}

/** The causes of refused requests that were understood (entra E91 to E133). */
export const issuanceRefusalScenarios: readonly RefusalScenario[] = [
  {
    reason: 'tenant_unknown',
    request: (service) => ({
      path: '/fabrikam.example/oauth2/v2.0/token',
      form: service.form(),
    }),
    ...refused(400, 'invalid_request', 90002),
    text: "Tenant 'fabrikam.example' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant.",
  },
  {
    reason: 'client_unknown',
    request: (service) => ({ form: service.form({ client_id: unknownId }) }),
    ...refused(400, 'unauthorized_client', 700016),
    text: `Application with identifier '${unknownId}' was not found in the directory 'Greeting'. ${wrongTenant} You may have sent your authentication request to the wrong tenant.`,
  },
  ...['undefined', 'greeting-client'].map(
    (id): RefusalScenario => ({
      reason: 'client_unknown',
      when: `the ID is ${id}`,
      request: (service) => ({ form: service.form({ client_id: id }) }),
      ...refused(400, 'unauthorized_client', 700016),
      text: `Application with identifier '${id}' was not found in the directory 'Greeting'. ${wrongTenant} You may have sent your authentication request to the wrong tenant.`,
    }),
  ),
  {
    reason: 'service_principal_missing',
    request: async (service) => {
      const directory = await wholeDirectory(service.store)
      const principal = directory.servicePrincipalByAppId(tenantId, clientId)
      await service.change(remove('servicePrincipal', principal?.id ?? ''))
      return { form: service.form() }
    },
    ...refused(401, 'invalid_client', 7000229),
    text: `The client application ${clientId} is missing service principal in the tenant ${tenantId}. See instructions here: https://go.microsoft.com/fwlink/?linkid=2225119`,
  },
  {
    reason: 'client_public',
    request: async (service) => {
      await changeClient(service, { isFallbackPublicClient: true })
      return { form: service.form() }
    },
    ...refused(401, 'invalid_client', 700025),
    text: "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
  },
  {
    reason: 'client_disabled',
    request: async (service) => {
      const directory = await wholeDirectory(service.store)
      const principal = directory.servicePrincipalByAppId(tenantId, clientId)
      if (principal)
        await service.change(put('servicePrincipal', { ...principal, accountEnabled: false }))
      return { form: service.form() }
    },
    ...refused(400, 'unauthorized_client', 7000112),
    text: `Application '${clientId}'(Greeting client) is disabled.`,
  },
  {
    reason: 'secret_wrong',
    request: (service) => ({ form: service.form({ client_secret: 'canary' }) }),
    ...refused(401, 'invalid_client', 7000215),
    text: `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
  },
  {
    reason: 'secret_not_yet_valid',
    request: async (service) => {
      const later = { startDateTime: new Date('2999-01-01T00:00:00Z') }
      const { credential, secretText } = createPassword(
        { ...later, endDateTime: new Date('2999-01-02T00:00:00Z') },
        systemRuntime,
      )
      await changeClient(service, { passwordCredentials: [credential] })
      return { form: service.form({ client_secret: secretText }) }
    },
    ...refused(401, 'invalid_client', 7000215),
    text: new RegExp(
      `^The client secret provided for app '${clientId}' is not valid yet\\. Current time: \\S+0000Z, secret valid from 2999-01-01T00:00:00\\.0000000Z\\.`,
    ),
  },
  {
    reason: 'secret_expired',
    request: async (service) => {
      const ended = { startDateTime: new Date(0), endDateTime: new Date(1) }
      const { credential, secretText } = createPassword(ended, systemRuntime)
      await changeClient(service, { passwordCredentials: [credential] })
      return { form: service.form({ client_secret: secretText }) }
    },
    ...refused(401, 'invalid_client', 7000222),
    text: `The provided client secret keys for app '${clientId}' are expired. Visit the Azure portal to create new keys for your app: https://aka.ms/NewClientSecret, or consider using certificate credentials for added security: https://aka.ms/certCreds.`,
  },
  {
    reason: 'secret_not_allowed',
    request: async (service) => {
      await changeClient(service, { passwordAuthenticationAllowed: false })
      return { form: service.form() }
    },
    ...refused(401, 'invalid_client', 7000215),
    text: `Client secrets are not allowed for app '${clientId}'. Use a client assertion.`,
  },
  {
    reason: 'agent_unknown',
    request: async (service) => {
      await becomeBlueprint(service)
      const scope = `${tokenExchangeUri}/.default`
      return { form: service.form({ scope, fmi_path: unknownId }) }
    },
    ...refused(400, 'unauthorized_client', 700016),
    text: `Application with identifier '${unknownId}' was not found in the directory 'Greeting'. ${wrongTenant} You may have sent your authentication request to the wrong tenant.`,
  },
  {
    reason: 'agent_path_missing',
    request: async (service) => {
      await becomeBlueprint(service)
      return { form: service.form({ scope: `${tokenExchangeUri}/.default` }) }
    },
    ...refused(400, 'invalid_request', 82008),
    text: 'All agentic applications requesting a token exchange token must include the fmipath parameter on the token request.',
  },
  ...['/oauth2/v2.0/token', '/oauth2/token'].map(
    (path): RefusalScenario => ({
      reason: 'agent_path_unexpected',
      when: `an ordinary client sends fmi_path to ${path}`,
      request: (service) => ({
        path: `/${tenantId}${path}`,
        form: service.form({
          fmi_path: clientId,
          ...(path === '/oauth2/token' && { resource: apiId }),
        }),
      }),
      ...refused(400, 'invalid_request', 90100, false),
      text: "The parameter 'fmi_path' is only for an agent identity blueprint that requests a token for api://AzureADTokenExchange.",
    }),
  ),
  {
    reason: 'agent_resource_not_permitted',
    request: async (service) => {
      await changeClient(service, { blueprint })
      return { form: service.form() }
    },
    ...refused(400, 'unauthorized_client', 82001),
    text: `Agentic application '${clientId}' is not permitted to request app-only tokens for resource '${apiId}'.`,
  },
  {
    reason: 'resource_unknown',
    request: (service) => ({
      form: service.form({ scope: 'https://graph.example/.default' }),
    }),
    ...refused(400, 'invalid_resource', 500011),
    text: `The resource principal named https://graph.example was not found in the tenant named ${tenantId}. ${wrongTenant} You might have sent your authentication request to the wrong tenant.`,
  },
  {
    reason: 'resource_disabled',
    request: async (service) => {
      await resourcePrincipal(service, { accountEnabled: false })
      return { form: service.form() }
    },
    ...refused(400, 'invalid_resource', 500014),
    text: `The service principal for resource 'api://${apiId}' is disabled. This indicate that a subscription within the tenant has lapsed, or that the administrator for this tenant has disabled the application, preventing tokens from being issued for it.`,
  },
  {
    reason: 'mapped_claims_not_accepted',
    request: async (service) => {
      const directory = await wholeDirectory(service.store)
      const tenant = directory.tenant(tenantId)
      const mapping = policy(1, { kind: 'claimsMapping' })
      if (tenant) await service.change(put('tenant', { ...tenant, policies: [mapping] }))
      await resourcePrincipal(service, { policyIds: [mapping.id] })
      return { form: service.form() }
    },
    ...refused(400, 'invalid_request', 50146),
    text: "This application is required to be configured with an application-specific signing key. It is either not configured with one, or the key has expired or is not yet valid. Please contact the application's administrator.",
  },
  ...(
    [
      ['a URL of the server', 'https://mcp.greeting.localhost/mcp'],
      ['another API', 'https://graph.microsoft.com'],
      ['two slashes more', `api://${apiId}//`],
      ['a fragment', `api://${apiId}#x`],
      ['an application ID', apiId],
      ['a scope', scope],
      ['a long text', `api://${apiId}/${'x'.repeat(10_240)}`],
    ] as const
  ).map(
    ([when, resource]): RefusalScenario => ({
      reason: 'resource_parameter_differs',
      when,
      request: (service) => ({ form: service.form({ resource }) }),
      ...refused(400, 'invalid_target', 9010010, false),
      text: "The resource parameter provided in the request doesn't match with the requested scopes.",
    }),
  ),
  {
    reason: 'role_required',
    request: async (service) => {
      await resourcePrincipal(service, { appRoleAssignmentRequired: true })
      await withoutAssignments(service)
      return { form: service.form() }
    },
    ...refused(400, 'invalid_grant', 501051),
    text: `Application '${clientId}'(Greeting client) is not assigned to a role for the application 'api://${apiId}'(Greeting API).`,
  },
  {
    reason: 'throttled',
    options: {
      throttle: new FailedLoginRateLimit(
        { perClientPerMinute: 1, perSourcePerMinute: 100 },
        () => 0,
      ),
    },
    request: async (service) => {
      const form = service.form({ client_secret: 'wrong' })
      await service.token(form)
      return { form }
    },
    ...refused(429, 'temporarily_unavailable', 90055),
    text: 'Too many refused requests. Try again later.',
  },
]
