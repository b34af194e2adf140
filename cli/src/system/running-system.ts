// Folder: `greeting start` runs both services in one process.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { CommandFailure } from '../exit-codes.ts'
import { type Settings, writeEnvFile } from '../files/env-file.ts'
import type { LoadedFile } from '../registrations/load-file.ts'
import { type ClientEnv, DataFolder, type FolderLock } from './data-folder.ts'
import type { ManagedIdentityEndpoints } from './managed-identity.ts'
import { endPartOf, requireFreePorts, ServicePart } from './service-part.ts'
import type { Service, Services } from './services.ts'

const host = '127.0.0.1'

// The shell may set these names for real use. Each service would read another meaning.
const settingsOfServices = [
  'API_APPLICATION_ID',
  'AUTH_URL',
  'BASE_URL',
  'CERTIFICATE_BINDING',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'DATA_DIR',
  'GRAPH_URL',
  'HOST',
  'HTTPS_AUTH_URL',
  'HTTPS_CERTIFICATE_FILE',
  'HTTPS_KEY_FILE',
  'HTTPS_PORT',
  'ISSUER_URL',
  'JWKS_URL',
  'LAB_CLIENT_SECRET',
  'PORT',
  'REGISTRATIONS',
  'SCOPE',
  'TENANT_ID',
  'TOKEN_VERSIONS',
]

type SystemOptions = {
  readonly dataDir: string
  readonly apiPort: number
  readonly apiHttpsPort: number
  readonly identityPort: number
  readonly httpsPort: number
  /** The port of the managed identity endpoints, 0 for any free one; undefined when they are off. */
  readonly managedIdentityPort?: number | undefined
  /** Whether the identity provider has a lab. Default: the setting `LAB`. */
  readonly lab?: boolean | undefined
  /** The issuer of v1.0 tokens, without the tenant. Default: the HTTP origin of the identity provider. */
  readonly issuerUrl?: string | undefined
  /** The maximum size of each log file, in MiB. Each service has two files. */
  readonly maxLogMib: number
}

/** Both running services, and their client. */
export type SystemFacts = {
  readonly dataFolder: DataFolder
  readonly identityProviderUrl: string
  /** The HTTPS URL of the identity provider. The local authority signed its certificate. */
  readonly identityProviderHttpsUrl: string | undefined
  readonly apiUrl: string
  /** The settings files of the managed identity endpoints; undefined when they are off. */
  readonly managedIdentity: { readonly url: string; readonly files: readonly string[] } | undefined
  /** The HTTPS URL of the greeting API, with a certificate of the same authority. */
  readonly apiHttpsUrl: string | undefined
  /** The URL of the lab; undefined without the option. */
  readonly labUrl: string | undefined
  /** Whether the identity provider accepts requests of MCP clients that Entra refuses. */
  readonly acceptsMcpClients: boolean
  /** The settings of the first client and of its API. */
  readonly client: ClientEnv & { readonly displayName: string }
}

type Waits = {
  /** How often a slow start says what it waits for, in milliseconds. */
  readonly noticeMs: number
  /** How long a start may be without progress: no new step, and no new line in a log. */
  readonly stallMs: number
}

/**
 * Returns a check that is true after a number of calls with the same progress. Calls are counted and not
 * the time, because a machine that is busy or asleep makes no progress either.
 */
export function stallCheck(limit: number): (progress: string) => boolean {
  let [seen, count] = ['', 0]
  return (progress) => {
    ;[seen, count] = [progress, progress === seen ? count + 1 : 0]
    return count >= limit
  }
}

/** The services of one data folder. They start and stop together, and meet only over HTTP. */
export class RunningSystem {
  readonly #services: Services
  readonly #options: SystemOptions
  readonly #environment: Settings
  readonly #parts: ServicePart[] = []
  readonly #waits: Waits
  #awaited = 'the data folder'
  #lock: FolderLock | undefined
  #managedIdentity: ManagedIdentityEndpoints | undefined

  constructor(
    services: Services,
    options: SystemOptions,
    environment: Settings,
    waits: Waits = { noticeMs: 10_000, stallMs: 120_000 },
  ) {
    this.#services = services
    this.#waits = waits
    this.#options = options
    const inherited = Object.entries(environment).filter(
      ([name]) => !settingsOfServices.includes(name),
    )
    this.#environment = Object.fromEntries(inherited)
  }

  /**
   * Starts both services and resolves when both are ready. After a failure, none of them runs.
   *
   * @param onWait receives what a slow start waits for
   * @throws {CommandFailure} with the error of the service that failed to start.
   */
  async start(signal: AbortSignal, onWait: (awaited: string) => void): Promise<SystemFacts> {
    const { noticeMs, stallMs } = this.#waits
    const stalled = new AbortController()
    const isStalled = stallCheck(Math.ceil(stallMs / noticeMs))
    const notices = setInterval(() => {
      const progress = [this.#awaited, ...this.#parts.map((one) => one.outputBytes)].join()
      if (isStalled(progress)) stalled.abort()
      else onWait(this.#awaited)
    }, noticeMs)
    process.on('uncaughtException', endPartOf)
    try {
      return await this.#start(AbortSignal.any([signal, stalled.signal]))
    } catch (error) {
      await this.stop()
      signal.throwIfAborted()
      if (!stalled.signal.aborted || error instanceof CommandFailure) throw error
      const message = `The start waited ${stallMs / 1000} seconds for ${this.#awaited} without any progress`
      const remedy = `The logs are in ${new DataFolder(this.#options.dataDir).logFolder}.`
      throw new CommandFailure('failed', message, { cause: error, remedy })
    } finally {
      clearInterval(notices)
    }
  }

  async #start(signal: AbortSignal): Promise<SystemFacts> {
    const { dataDir, apiPort, apiHttpsPort, identityPort, httpsPort, issuerUrl } = this.#options
    const { managedIdentityPort, lab } = this.#options
    const { registrationsFile } = this.#services
    const dataFolder = new DataFolder(dataDir)
    const isKept = dataFolder.hasDirectory && (await dataFolder.keptClient()) !== undefined
    // A later start does without the file, whose reader has 200 modules.
    const registrations = isKept ? undefined : await readRegistrations(registrationsFile)
    // A second start in this folder would find the ports of the first one.
    this.#lock = dataFolder.isInUse() ? dataFolder.lock() : undefined
    await requireFreePorts(host, [
      { port: identityPort, option: '--identity-port' },
      { port: httpsPort, option: '--https-port' },
      { port: apiPort, option: '--api-port' },
      { port: apiHttpsPort, option: '--api-https-port' },
      { port: managedIdentityPort ?? 0, option: '--managed-identity' },
    ])
    await dataFolder.prepare()
    this.#lock ??= dataFolder.lock()

    this.#awaited = 'the identity provider'
    const provider = await this.#run(this.#services.identityProvider, dataFolder, {
      PORT: String(identityPort),
      HTTPS_PORT: String(httpsPort),
      DATA_DIR: dataDir,
      ...(issuerUrl && { ISSUER_URL: issuerUrl }),
      ...(lab && { LAB: 'on' }),
      TENANT_ID: registrations?.file.tenant?.id,
    })
    const { url, httpsUrl } = await whileRunning(provider, signal, provider.listening)
    const identityProviderReady = provider.ready(url, signal)
    // Another failure may come first.
    identityProviderReady.catch(() => undefined)
    const register = async () => {
      const { firstRegistrations } = await import('./first-registrations.ts')
      const loaded = registrations ?? (await readRegistrations(registrationsFile))
      return firstRegistrations(dataFolder, loaded, signal)
    }
    this.#awaited = 'the first registrations'
    // The provider may have made another tenant.
    const client =
      (await dataFolder.keptClient()) ?? (await whileRunning(provider, signal, register()))

    this.#awaited = 'the greeting API'
    const greetingApi = await this.#run(this.#services.greetingApi, dataFolder, {
      PORT: String(apiPort),
      HTTPS_PORT: String(apiHttpsPort),
      HTTPS_CERTIFICATE_FILE: dataFolder.serverCertificateFile,
      HTTPS_KEY_FILE: dataFolder.serverKeyFile,
      AUTH_URL: url,
      ISSUER_URL: issuerUrl ?? url,
      TENANT_ID: client.TENANT_ID,
      API_APPLICATION_ID: client.API_APPLICATION_ID,
    })
    const api = await whileRunning(greetingApi, signal, greetingApi.listening)
    await dataFolder.writeClientEnv({
      AUTH_URL: url,
      ISSUER_URL: issuerUrl ?? url,
      ...client,
      BASE_URL: api.url,
      ...(httpsUrl && {
        HTTPS_AUTH_URL: httpsUrl,
        ...(api.httpsUrl && { HTTPS_BASE_URL: api.httpsUrl }),
        NODE_EXTRA_CA_CERTS: dataFolder.authorityFile,
      }),
    })
    const managedIdentity = await this.#serveManagedIdentity(dataFolder)
    this.#awaited = 'both services to be ready'
    await Promise.all([identityProviderReady, greetingApi.ready(api.url, signal)])
    const displayName = (await clientNameIn(registrationsFile)) ?? client.CLIENT_ID
    return {
      dataFolder,
      identityProviderUrl: url,
      identityProviderHttpsUrl: httpsUrl,
      apiUrl: api.url,
      apiHttpsUrl: api.httpsUrl,
      managedIdentity,
      client: { ...client, displayName },
      labUrl: lab ? `${url}/lab` : undefined,
      acceptsMcpClients: this.#environment.MCP_CLIENTS === 'on',
    }
  }

  /** Serves the endpoints in this process, and writes the variables for the two kinds of host. */
  async #serveManagedIdentity(dataFolder: DataFolder): Promise<SystemFacts['managedIdentity']> {
    const { managedIdentityPort: port } = this.#options
    if (port === undefined) return undefined
    const { registeredIdentities, serveManagedIdentity } = await import('./managed-identity.ts')
    this.#managedIdentity = await serveManagedIdentity({
      port,
      identities: () => registeredIdentities(dataFolder),
      secret: randomBytes(32).toString('base64url'),
    })
    const { url, appService, virtualMachine } = this.#managedIdentity
    const files = [dataFolder.appServiceEnvFile, dataFolder.virtualMachineEnvFile]
    await writeEnvFile(dataFolder.appServiceEnvFile, appService)
    await writeEnvFile(dataFolder.virtualMachineEnvFile, virtualMachine)
    return { url, files }
  }

  async #run(service: Service, folder: DataFolder, settings: Settings): Promise<ServicePart> {
    const log = await folder.freshLogFiles(service.logName)
    const started = new ServicePart(
      service,
      { ...this.#environment, HOST: host, ...settings },
      { ...log, maxBytes: this.#options.maxLogMib * 1024 * 1024 },
    )
    this.#parts.push(started)
    return started
  }

  /** Resolves with the first service that ends by itself. */
  async firstToEnd(): Promise<ServicePart> {
    return Promise.race(this.#parts.map((one) => one.ended.then(() => one)))
  }

  /** Stops both services. Each completes its current requests. */
  async stop(): Promise<void> {
    await this.#managedIdentity?.stop()
    const stops = await Promise.all(this.#parts.map((one) => one.stop()))
    process.off('uncaughtException', endPartOf)
    // Otherwise the system releases the lock, with the process.
    if (stops.every((isEnded) => isEnded)) this.#lock?.release()
    this.#lock = undefined
  }
}

async function readRegistrations(path: string): Promise<LoadedFile> {
  const { loadFile } = await import('../registrations/load-file.ts')
  return loadFile(path)
}

/** The name of the first client; undefined in a file that only a first start would refuse. */
async function clientNameIn(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '')
    const name: unknown = JSON.parse(text).clients[0].displayName
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** The result of the work, unless the service ends or the signal is aborted first. */
function whileRunning<Value>(service: ServicePart, signal: AbortSignal, work: Promise<Value>) {
  signal.throwIfAborted()
  const ended = service.ended.then((): never => {
    throw service.failure()
  })
  const aborted = once(signal, 'abort').then((): never => {
    throw signal.reason
  })
  // Prevents an unhandled rejection of the promises that lose the race.
  for (const one of [work, ended, aborted]) one.catch(() => undefined)
  return Promise.race([work, ended, aborted])
}
