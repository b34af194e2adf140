import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type Registered, requestedApis } from '../graph/applications.ts'
import { type Html, snippet } from './parts.ts'

/** What a program needs to get a token, for each kind of program. `{name}` stands for a setting. */
const linesToPaste: Readonly<Record<string, string>> = {
  '.env': `AUTH_URL={authUrl}
TENANT_ID={tenantId}
CLIENT_ID={clientId}
CLIENT_SECRET={secret}
API_APPLICATION_ID={appId}
SCOPE={scope}`,
  curl: `printf %s '{secret}' |
  curl -sS --fail-with-body '{authUrl}/{tenantId}/oauth2/v2.0/token' \\
    --data-urlencode 'grant_type=client_credentials' \\
    --data-urlencode 'scope={scope}' \\
    --data-urlencode 'client_id={clientId}' \\
    --data-urlencode 'client_secret@-'`,
  '@greeting/client': `import { clientSecret, createTokenSource } from '@greeting/client'

const tokens = createTokenSource({
  authority: '{authUrl}/{tenantId}',
  clientId: '{clientId}',
  credential: clientSecret('{secret}'),
  scope: '{scope}',
})
const token = await tokens.token()`,
  'MSAL Node': `import { ConfidentialClientApplication } from '@azure/msal-node'

const client = new ConfidentialClientApplication({
  auth: {
    authority: '{httpsAuthUrl}/{tenantId}',
    knownAuthorities: ['{httpsAuthUrl}'],
    clientId: '{clientId}',
    clientSecret: '{secret}',
  },
})
const { accessToken } = await client.acquireTokenByClientCredential({ scopes: ['{scope}'] })`,
  'MSAL Python': `import msal

client = msal.ConfidentialClientApplication(
    "{clientId}",
    authority="{httpsAuthUrl}/{tenantId}",
    client_credential="{secret}",
    instance_discovery=False,
)
token = client.acquire_token_for_client(scopes=["{scope}"])["access_token"]`,
  '@azure/identity': `import { ClientSecretCredential } from '@azure/identity'

const credential = new ClientSecretCredential('{tenantId}', '{clientId}', '{secret}', {
  authorityHost: '{httpsAuthUrl}',
  disableInstanceDiscovery: true,
})
const { token } = await credential.getToken('{scope}')`,
  '.NET': `using Microsoft.Identity.Client;

var client = ConfidentialClientApplicationBuilder.Create("{clientId}")
    .WithClientSecret("{secret}")
    .WithAuthority("{httpsAuthUrl}/{tenantId}")
    .WithInstanceDiscovery(false)
    .Build();
var result = await client.AcquireTokenForClient(["{scope}"]).ExecuteAsync();
var token = result.AccessToken;`,
  Java: `import com.microsoft.aad.msal4j.*;

var secret = ClientCredentialFactory.createFromSecret("{secret}");
var client = ConfidentialClientApplication.builder("{clientId}", secret)
    .authority("{httpsAuthUrl}/{tenantId}")
    .instanceDiscovery(false)
    .build();
var request = ClientCredentialParameters.builder(java.util.Set.of("{scope}")).build();
var token = client.acquireToken(request).get().accessToken();`,
  Go: `credential, err := confidential.NewCredFromSecret("{secret}")
client, err := confidential.New("{httpsAuthUrl}/{tenantId}", "{clientId}", credential,
	confidential.WithInstanceDiscovery(false))
result, err := client.AcquireTokenByCredential(context.Background(), []string{"{scope}"})
token := result.AccessToken`,
}

const placeholder = /\{(\w+)\}/g

/** The settings of a client, with one tab for each kind of program. A tab is a radio button, so it needs no script. */
export async function settingsToPaste(
  request: AdministratorRequest,
  registered: Registered,
  secret = '<client secret>',
): Promise<Html> {
  const { authUrl, httpsAuthUrl = authUrl } = request.host
  const noId = '<application ID of the API>'
  const unknown = { appId: noId, scope: `api://${noId}/.default` }
  const [{ appId, scope } = unknown] = await requestedApis(request, registered)
  const { tenantId } = request.session
  const clientId = registered.application.appId
  const settings = new Map(
    Object.entries({ authUrl, httpsAuthUrl, tenantId, clientId, secret, appId, scope }),
  )
  return html`<h2 id="settings">Settings to paste</h2>
<fieldset class="choices" aria-labelledby="settings">${Object.entries(linesToPaste).map(
    ([name, lines], index) =>
      html`<label><input type="radio" name="program"${index === 0 ? html` checked` : ''}>${name}</label>
<div>${snippet(
        lines.replaceAll(placeholder, (text, one) => settings.get(one) ?? text),
        name,
      )}</div>`,
  )}</fieldset>`
}
