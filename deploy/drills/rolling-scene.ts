import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/fixtures/free-port.ts'
import { PostgresServer } from '../../test/fixtures/postgres-server.ts'
import { startProcess } from '../running/process.ts'
import { readSeeded, requestGreeting, requestToken } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import { Administrator } from './administrator.ts'
import { Load } from './load.ts'
import { type Launch, Replicas } from './replicas.ts'
import { RoundRobin } from './round-robin.ts'

const replicaCount = 3
const clientCount = 4

/** Longer than the proxy needs to see that a replica is not ready. */
const stopDelay = { STOP_DELAY_SECONDS: '2' }

/** Three identity providers over one PostgreSQL, and three APIs. Each service is behind a proxy. */
export type RollingScene = AsyncDisposable & {
  readonly identityProviders: Replicas
  readonly apis: Replicas
  readonly administrator: Administrator
  readonly load: Load
  /** Starts another replica from the sources in a folder. */
  readonly launch: {
    readonly identityProvider: (root: string, keyEncryptionKey: string) => Launch
    readonly api: (root: string) => Launch
  }
}

/** A key for the setting `KEY_ENCRYPTION_KEY`. */
export const newKeyEncryptionKey = (): string => randomBytes(32).toString('base64')

/**
 * Starts the replicas, and clients that request tokens and greetings without a second attempt.
 *
 * @param root the folder of the release that the replicas run
 */
export async function startRollingScene(
  root: string,
  keyEncryptionKey: string,
): Promise<RollingScene> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-rolling-')), (path) =>
    rmSync(path, { recursive: true }),
  )
  const server = stack.adopt(await PostgresServer.start(), (one) => one.stop())
  const databaseUrl = await server.database()
  const proxies = {
    identityProvider: stack.use(await RoundRobin.start(await freePort())),
    api: stack.use(await RoundRobin.start(await freePort())),
  }
  const origins = {
    AUTH_URL: proxies.identityProvider.url,
    ISSUER_URL: proxies.identityProvider.url,
  }
  const listener = { HOST: '127.0.0.1', PORT: '0', ...stopDelay, ...origins }
  let folders = 0
  const newDataDir = () => {
    const path = join(folder, `data-${folders++}`)
    mkdirSync(path)
    return path
  }

  const identityProviderIn = (dataDir: string, from: string, key: string): Launch => {
    const { command, settings, registrations } = sourceLauncher(from, dataDir)
    const store = {
      DATABASE_URL: databaseUrl,
      KEY_ENCRYPTION_KEY: key,
      REGISTRATIONS: registrations,
    }
    const environment = { ...settings('identity-provider'), ...listener, ...store }
    return () => startProcess(command('identity-provider'), environment)
  }
  const launchIdentityProvider = (from: string, key: string): Launch => {
    return () => identityProviderIn(newDataDir(), from, key)()
  }
  const firstDataDir = newDataDir()
  const identityProviders = stack.use(new Replicas(proxies.identityProvider))
  await identityProviders.add(identityProviderIn(firstDataDir, root, keyEncryptionKey))
  const seeded = readSeeded(firstDataDir)

  const launchApi = (from: string): Launch => {
    const { command, settings } = sourceLauncher(from, folder)
    const keySet = `${proxies.identityProvider.url}/${seeded.tenantId}/discovery/keys`
    const identity = { TENANT_ID: seeded.tenantId, API_APPLICATION_ID: seeded.apiApplicationId }
    const environment = { ...settings('api'), ...listener, ...identity, JWKS_URL: keySet }
    return () => startProcess(command('api'), environment)
  }
  const apis = stack.use(new Replicas(proxies.api))
  for (let count = 0; count < replicaCount; count += 1) {
    if (count > 0) await identityProviders.add(launchIdentityProvider(root, keyEncryptionKey))
    await apis.add(launchApi(root))
  }

  const load = new Load()
  stack.defer(async () => void (await load.stop()))
  let token = await requestToken(seeded, proxies.identityProvider.url)
  load.addClients(clientCount, [
    async () => {
      token = await requestToken(seeded, proxies.identityProvider.url)
    },
    () => requestGreeting(token, proxies.api.url),
  ])
  const administrator = new Administrator(proxies.identityProvider.url, firstDataDir)
  load.addAdministrator(administrator)

  const owned = stack.move()
  return {
    identityProviders,
    apis,
    administrator,
    load,
    launch: { identityProvider: launchIdentityProvider, api: launchApi },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
