/** The settings of a client, as the ready lines contain them. */
export type ClientSettings = {
  readonly authUrl: string
  /** The authority over HTTPS, which some libraries require. */
  readonly httpsAuthUrl: string
  readonly tenantId: string
  readonly clientId: string
  /** The secret, or a placeholder when it is no longer known. */
  readonly secret: string
  readonly scope: string
}

/** The lines that a program needs to get a token, for each kind of program. */
export const readyLines: readonly {
  readonly name: string
  readonly lines: (settings: ClientSettings) => string
}[] = [
  {
    name: '.env',
    lines: ({ authUrl, tenantId, clientId, secret, scope }) => `AUTH_URL=${authUrl}
TENANT_ID=${tenantId}
CLIENT_ID=${clientId}
CLIENT_SECRET=${secret}
SCOPE=${scope}`,
  },
  {
    name: 'curl',
    lines: ({ authUrl, tenantId, clientId, secret, scope }) => `printf %s '${secret}' |
  curl -sS --fail-with-body '${authUrl}/${tenantId}/oauth2/v2.0/token' \\
    --data-urlencode 'grant_type=client_credentials' \\
    --data-urlencode 'scope=${scope}' \\
    --data-urlencode 'client_id=${clientId}' \\
    --data-urlencode 'client_secret@-'`,
  },
  {
    name: '@greeting/client',
    lines: ({
      authUrl,
      tenantId,
      clientId,
      secret,
      scope,
    }) => `import { clientSecret, createTokenSource } from '@greeting/client'

const tokens = createTokenSource({
  authority: '${authUrl}/${tenantId}',
  clientId: '${clientId}',
  credential: clientSecret('${secret}'),
  scope: '${scope}',
})
const token = await tokens.token()`,
  },
  {
    name: 'MSAL Node',
    lines: ({
      httpsAuthUrl,
      tenantId,
      clientId,
      secret,
      scope,
    }) => `import { ConfidentialClientApplication } from '@azure/msal-node'

const client = new ConfidentialClientApplication({
  auth: {
    authority: '${httpsAuthUrl}/${tenantId}',
    knownAuthorities: ['${httpsAuthUrl}'],
    clientId: '${clientId}',
    clientSecret: '${secret}',
  },
})
const { accessToken } = await client.acquireTokenByClientCredential({ scopes: ['${scope}'] })`,
  },
  {
    name: 'MSAL Python',
    lines: ({ httpsAuthUrl, tenantId, clientId, secret, scope }) => `import msal

client = msal.ConfidentialClientApplication(
    "${clientId}",
    authority="${httpsAuthUrl}/${tenantId}",
    client_credential="${secret}",
    instance_discovery=False,
)
token = client.acquire_token_for_client(scopes=["${scope}"])["access_token"]`,
  },
  {
    name: '@azure/identity',
    lines: ({
      httpsAuthUrl,
      tenantId,
      clientId,
      secret,
      scope,
    }) => `import { ClientSecretCredential } from '@azure/identity'

const credential = new ClientSecretCredential('${tenantId}', '${clientId}', '${secret}', {
  authorityHost: '${httpsAuthUrl}',
  disableInstanceDiscovery: true,
})
const { token } = await credential.getToken('${scope}')`,
  },
]
