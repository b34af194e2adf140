// Folder: The services that `greeting start` runs in one folder.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CommandFailure } from '../exit-codes.ts'
import { type Settings, writeEnvFile } from '../files/env-file.ts'
import type { LoadedFile } from '../registrations/load-file.ts'
import type { FolderLock } from './data-folder.ts'
import { type ClientEnv, DataFolder } from './data-folder.ts'
import type { ManagedIdentityEndpoints } from './managed-identity.ts'
import { type Listening, requireFreePorts, ServiceProcess } from './service-process.ts'
import type { Service, Services } from './services.ts'

const host = '127.0.0.1'
const stopGraceMs = 10_000

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

/** The services of one data folder. They start and stop together. */
export class RunningSystem {
  readonly #services: Services
  readonly #options: SystemOptions
  readonly #environment: Settings
  readonly #processes: ServiceProcess[] = []
  readonly #waits: Waits
  #awaited = 'the data folder'
  #lock: FolderLock | undefined
  #managedIdentity: ManagedIdentityEndpoints | undefined
  // If this command is killed, the services end too.
  readonly #kill = () => {
    for (const one of this.#processes) one.kill()
  }

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
    let [seen, seenMs] = ['', performance.now()]
    const notices = setInterval(() => {
      const progress = [this.#awaited, ...this.#processes.map((one) => one.outputBytes)].join()
      if (progress !== seen) [seen, seenMs] = [progress, performance.now()]
      if (performance.now() - seenMs >= stallMs) stalled.abort()
      else onWait(this.#awaited)
    }, noticeMs)
    process.on('exit', this.#kill)
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
    const identityProvider = await this.#spawn(this.#services.identityProvider, dataFolder, {
      PORT: String(identityPort),
      HTTPS_PORT: String(httpsPort),
      DATA_DIR: dataDir,
      ...(issuerUrl && { ISSUER_URL: issuerUrl }),
      ...(lab && { LAB: 'on' }),
      TENANT_ID: registrations?.file.tenant?.id,
    })
    // It loads its modules while the identity provider starts, and then receives its settings.
    const greetingApi = await this.#spawn(this.#services.greetingApi, dataFolder, {}, true)
    const loading = isKept ? undefined : import('./first-registrations.ts')
    const { url: identityProviderUrl, httpsUrl } = await listening(identityProvider, signal)
    const identityProviderReady = identityProvider.ready(identityProviderUrl, signal)
    // Another failure may come first.
    identityProviderReady.catch(() => undefined)
    const register = async () => {
      const { firstRegistrations } = await (loading ?? import('./first-registrations.ts'))
      const loaded = registrations ?? (await readRegistrations(registrationsFile))
      return firstRegistrations(dataFolder, loaded, signal)
    }
    this.#awaited = 'the first registrations'
    // The provider may have made another tenant.
    const client =
      (await dataFolder.keptClient()) ?? (await whileRunning(identityProvider, register()))

    this.#awaited = 'the greeting API'
    greetingApi.begin({
      PORT: String(apiPort),
      HTTPS_PORT: String(apiHttpsPort),
      HTTPS_CERTIFICATE_FILE: dataFolder.serverCertificateFile,
      HTTPS_KEY_FILE: dataFolder.serverKeyFile,
      AUTH_URL: identityProviderUrl,
      ISSUER_URL: issuerUrl ?? identityProviderUrl,
      TENANT_ID: client.TENANT_ID,
      API_APPLICATION_ID: client.API_APPLICATION_ID,
    })
    const { url: apiUrl, httpsUrl: apiHttpsUrl } = await listening(greetingApi, signal)
    await dataFolder.writeClientEnv({
      AUTH_URL: identityProviderUrl,
      ISSUER_URL: issuerUrl ?? identityProviderUrl,
      ...client,
      BASE_URL: apiUrl,
      ...(httpsUrl && {
        HTTPS_AUTH_URL: httpsUrl,
        ...(apiHttpsUrl && { HTTPS_BASE_URL: apiHttpsUrl }),
        NODE_EXTRA_CA_CERTS: dataFolder.authorityFile,
      }),
    })
    const managedIdentity = await this.#serveManagedIdentity(dataFolder)
    this.#awaited = 'both services to be ready'
    await Promise.all([identityProviderReady, greetingApi.ready(apiUrl, signal)])
    const displayName = (await clientNameIn(registrationsFile)) ?? client.CLIENT_ID
    return {
      dataFolder,
      identityProviderUrl,
      identityProviderHttpsUrl: httpsUrl,
      apiUrl,
      apiHttpsUrl,
      managedIdentity,
      client: { ...client, displayName },
      labUrl: lab ? `${identityProviderUrl}/lab` : undefined,
      acceptsMcpClients: this.#environment.MCP_CLIENTS === 'on',
    }
  }

  /** Serves the endpoints in this process, and writes the variables for the two kinds of host. */
  async #serveManagedIdentity(dataFolder: DataFolder): Promise<SystemFacts['managedIdentity']> {
    const { managedIdentityPort: port } = this.#options
    if (port === undefined) return undefined
    const { serveManagedIdentity } = await import('./managed-identity.ts')
    const { registeredIdentities } = await import('./managed-identity.ts')
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

  async #spawn(
    service: Service,
    folder: DataFolder,
    settings: Settings,
    isHeld = false,
  ): Promise<ServiceProcess> {
    const log = await folder.freshLogFiles(service.logName)
    const started = new ServiceProcess(
      service,
      { ...this.#environment, HOST: host, ...settings },
      { ...log, maxBytes: this.#options.maxLogMib * 1024 * 1024 },
      isHeld,
    )
    this.#processes.push(started)
    return started
  }

  /** Resolves with the first service that ends by itself. */
  async firstToEnd(): Promise<ServiceProcess> {
    return Promise.race(this.#processes.map((one) => one.ended.then(() => one)))
  }

  /** Stops both services. Each completes its current requests. */
  async stop(): Promise<void> {
    await this.#managedIdentity?.stop()
    await Promise.all(this.#processes.map((one) => one.stop(stopGraceMs)))
    process.off('exit', this.#kill)
    this.#lock?.release()
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

/** Resolves with the result of the work, unless a service that it needs ends first. */
function whileRunning<Value>(service: ServiceProcess, work: Promise<Value>): Promise<Value> {
  const ended = service.ended.then(() => {
    throw service.failure()
  })
  // Prevents an unhandled rejection of the promise that loses the race.
  ended.catch(() => undefined)
  work.catch(() => undefined)
  return Promise.race([work, ended])
}

/** The address of a service, unless it ends or the signal is aborted first. */
function listening(service: ServiceProcess, signal: AbortSignal): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    service.listening().then(resolve, reject)
  })
}
