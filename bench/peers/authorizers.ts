import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/fixtures/free-port.ts'
import { benchFolder, repositoryFolder, runtimes } from '../machine.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import type { Fixture } from './fixture.ts'

type Setup = {
  readonly fixture: Fixture
  readonly keySet: { readonly origin: string; readonly url: string }
  readonly folder: string
}

/** The authorizer, called as Envoy does: a decision alone, without the work of a proxy. */
export async function startAuthorizer({ fixture, keySet, folder }: Setup): Promise<ServerProcess> {
  const rules = join(folder, 'rules.json')
  const hi = { path: '/api/v1/hi', methods: ['GET'], role: fixture.role }
  await writeFile(rules, JSON.stringify({ rules: [{ path: '/open', public: true }, hi] }))
  const server = await startServer({
    command: [...runtimes.node, join(repositoryFolder, 'services/authorizer/src/main.ts')],
    environment: {
      RULES_FILE: rules,
      PROXY: 'envoy',
      TENANT_ID: fixture.tenantId,
      API_APPLICATION_ID: fixture.apiApplicationId,
      AUTH_URL: keySet.origin,
      ISSUER_URL: fixture.issuerUrl,
      PORT: '0',
    },
    folder,
  })
  return { ...server, url: `${server.url}/authorize` }
}

/** Envoy, which gets the key set in its configuration. */
export async function startEnvoy(
  { fixture, keySet, folder }: Setup,
  id: string,
): Promise<ServerProcess> {
  const port = await freePort()
  const values: Readonly<Record<string, string>> = {
    PORT: `${port}`,
    ISSUER: fixture.issuer,
    AUDIENCE: fixture.audience,
    ROLE: fixture.role,
    KEY_SET: await (await fetch(keySet.url)).text(),
  }
  const template = await readFile(join(benchFolder, 'servers', `${id}.yaml`), 'utf8')
  const file = join(folder, `${id}.yaml`)
  await writeFile(
    file,
    template.replace(/\$\{(\w+)\}/g, (_, name) => values[name] ?? ''),
  )
  const options = ['--concurrency', '1', '--use-dynamic-base-id', '-l', 'error']
  const command = ['envoy', '-c', file, ...options]
  return startServer({ command, environment: {}, folder, pollUrl: `http://127.0.0.1:${port}` })
}

/** Oauth2-proxy, which admits bearer tokens of its issuer that have the role as an allowed group. */
export async function startOauth2Proxy({ fixture, keySet, folder }: Setup): Promise<ServerProcess> {
  const port = await freePort()
  const options = {
    provider: 'oidc',
    'http-address': `127.0.0.1:${port}`,
    'redirect-url': `http://127.0.0.1:${port}/oauth2/callback`,
    'oidc-issuer-url': fixture.issuer,
    'skip-oidc-discovery': 'true',
    'oidc-jwks-url': keySet.url,
    'login-url': `${keySet.origin}/authorize`,
    'redeem-url': `${keySet.origin}/token`,
    'client-id': fixture.audience,
    'client-secret': fixture.clientSecret,
    'cookie-secret': fixture.clientSecret.slice(0, 32),
    'skip-jwt-bearer-tokens': 'true',
    'api-route': '^/api/',
    'oidc-email-claim': 'appid',
    'oidc-groups-claim': 'roles',
    'allowed-group': fixture.role,
    'email-domain': '*',
    'skip-auth-route': '^/open$',
    upstream: 'static://200',
    'request-logging': 'false',
    'auth-logging': 'false',
    'standard-logging': 'false',
  }
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const command = ['oauth2-proxy', ...flags]
  // Go would start a thread for each core.
  const environment = { GOMAXPROCS: '1' }
  return startServer({ command, environment, folder, pollUrl: `http://127.0.0.1:${port}` })
}
