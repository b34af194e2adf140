// The client that the conformance runner starts. It lists the tools of the server of its last argument.
import { clientSecret, federatedAssertion, privateKeyJwt } from '@greeting/client'
import { mcpAuth } from '@greeting/client/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { MCP_CONFORMANCE_CONTEXT = '{}', MCP_CONFORMANCE_PROTOCOL_VERSION } = process.env
const given = JSON.parse(MCP_CONFORMANCE_CONTEXT) as Readonly<Record<string, string | undefined>>
const serverUrl = process.argv.at(-1) ?? ''

/** The issuer differs at each start of the runner, so that it is read from the server. */
async function namedIssuer(): Promise<string> {
  const challenged = await fetch(serverUrl, { method: 'POST', body: '{}' })
  const challenge = challenged.headers.get('www-authenticate') ?? ''
  const wellKnown = new URL(serverUrl)
  wellKnown.pathname = `/.well-known/oauth-protected-resource${wellKnown.pathname}`
  const [, named = wellKnown.href] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const { authorization_servers: issuers } = (await (await fetch(named)).json()) as {
    readonly authorization_servers: readonly string[]
  }
  return issuers[0] ?? ''
}

async function credential() {
  const { client_secret: secret = 'the secret of a client', private_key_pem, valid_jwt } = given
  if (valid_jwt) return federatedAssertion(() => valid_jwt, { grant: 'jwt-bearer' })
  if (private_key_pem) return privateKeyJwt({ privateKey: private_key_pem, algorithm: 'ES256' })
  return clientSecret(secret)
}

const authProvider = mcpAuth({
  serverUrl,
  expectedIssuer: await namedIssuer(),
  clientId: given.client_id ?? 'client',
  credential: await credential(),
})
const isNewWire = MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28'
const client = new Client(
  { name: 'greeting', version: '0.2.0' },
  isNewWire ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
)
await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider }))
await client.listTools()
await client.close()
