import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Running, startProcess } from './process.ts'

/** How a service is started: from its source, or from the layers of an image. */
export type Launcher = {
  readonly command: (service: 'identity-provider' | 'api') => readonly string[]
  /** The settings that belong to the place of the programs. */
  readonly settings: (service: 'identity-provider' | 'api') => Readonly<Record<string, string>>
  /** The registrations file, as the process sees it. */
  readonly registrations: string
}

/** Both services with the registrations of this project. */
export type SeededSystem = AsyncDisposable & {
  readonly identityProvider: Running
  readonly api: Running
  readonly tenantId: string
  readonly client: { readonly applicationId: string; readonly clientSecret: string }
  readonly apiApplicationId: string
}

type Seeded = {
  readonly tenantId: string
  readonly apis: readonly { readonly applicationId: string }[]
  readonly clients: readonly { readonly applicationId: string; readonly clientSecret: string }[]
}

/** Reads what the first start wrote into the data folder. */
export function readSeeded(dataDir: string): SystemIdentity {
  const seeded: Seeded = JSON.parse(readFileSync(join(dataDir, 'seeded.json'), 'utf8'))
  const [client] = seeded.clients
  const [greetingApi] = seeded.apis
  if (!client || !greetingApi) throw new Error('the registrations have no client or no API')
  return { tenantId: seeded.tenantId, client, apiApplicationId: greetingApi.applicationId }
}

/** The settings of a system, of which a check may replace some. */
export type SystemSettings = {
  readonly identityProvider?: Readonly<Record<string, string>>
  readonly api?: Readonly<Record<string, string>>
}

/**
 * Starts both services on free ports of 127.0.0.1, and waits until the API has fetched the keys.
 *
 * @param dataDir the data folder, as this process sees it
 * @throws {Error} when a service does not start within 60 s, or the API is not ready within 30 s
 */
export async function startSeededSystem(
  launcher: Launcher,
  dataDir: string,
  settings: SystemSettings = {},
): Promise<SeededSystem> {
  const resources = new AsyncDisposableStack()
  try {
    const identityProvider = resources.use(
      await startProcess(launcher.command('identity-provider'), {
        ...launcher.settings('identity-provider'),
        HOST: '127.0.0.1',
        PORT: '0',
        REGISTRATIONS: launcher.registrations,
        ...settings.identityProvider,
      }),
    )
    const seeded = readSeeded(dataDir)
    const authUrl = settings.identityProvider?.AUTH_URL ?? identityProvider.url
    const api = resources.use(
      await startProcess(launcher.command('api'), {
        ...launcher.settings('api'),
        HOST: '127.0.0.1',
        PORT: '0',
        TENANT_ID: seeded.tenantId,
        API_APPLICATION_ID: seeded.apiApplicationId,
        AUTH_URL: authUrl,
        ISSUER_URL: authUrl,
        JWKS_URL: `${identityProvider.url}/${seeded.tenantId}/discovery/keys`,
        ...settings.api,
      }),
    )
    await untilReady(api)
    const stack = resources.move()
    return {
      identityProvider,
      api,
      ...seeded,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } finally {
    await resources.disposeAsync()
  }
}

const readyTimeoutMs = 30_000
const pollEveryMs = 20

/** The API listens before its first request for keys has an answer. */
async function untilReady({ url }: Running): Promise<void> {
  const signal = AbortSignal.timeout(readyTimeoutMs)
  while (!(await fetch(`${url}/readyz`, { signal })).ok)
    await sleep(pollEveryMs, undefined, { signal })
}

/** The data of a system that a request for a token or a greeting needs. */
export type SystemIdentity = Pick<SeededSystem, 'tenantId' | 'client' | 'apiApplicationId'>

/**
 * Requests a token.
 *
 * @param origin the origin of the identity provider, for example of a proxy before it
 * @throws {Error} with the status and the body of an unexpected answer
 */
export async function requestToken(
  { tenantId, client, apiApplicationId }: SystemIdentity,
  origin: string,
  send: typeof fetch = fetch,
): Promise<string> {
  const answer = await send(`${origin}/${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.applicationId,
      client_secret: client.clientSecret,
      scope: `api://${apiApplicationId}/.default`,
    }),
  })
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`)
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return token
}

/**
 * Requests a greeting.
 *
 * @param origin the origin of the API, for example of a proxy before it
 * @throws {Error} with the status and the body of an unexpected answer
 */
export async function requestGreeting(
  token: string,
  origin: string,
  send: typeof fetch = fetch,
): Promise<string> {
  const answer = await send(`${origin}/api/v1/hi`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`greeting: ${answer.status} ${text}`)
  return text
}

/**
 * Requests a token and a greeting.
 *
 * @throws {Error} with the status and the body of an unexpected answer
 */
export async function greet(
  system: SystemIdentity,
  origins: { readonly identityProvider: string; readonly api: string },
  send: typeof fetch = fetch,
): Promise<string> {
  return requestGreeting(
    await requestToken(system, origins.identityProvider, send),
    origins.api,
    send,
  )
}
