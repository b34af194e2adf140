import { systemRuntime } from '@greeting/directory'
import { openRegionalAssertions, openStandby } from '@greeting/directory/storage'
import type { ProcessContext, StopOptions } from '@greeting/http-service'
import type { Logger } from 'pino'
import { storeTraces } from '../management/bootstrap/bootstrap.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'
import { composeService } from './compose-service.ts'
import { type ServiceEnvironment, systemEnvironment } from './environment.ts'
import { openListeners } from './listeners.ts'
import { storageLimits } from './service-parts.ts'
import type { Settings } from './settings.ts'

export type Service = {
  /** The origin of the HTTP listener, or of the HTTPS listener when HTTP is off. */
  readonly url: string
  /** The origin of the HTTPS listener; `undefined` when HTTPS is off. */
  readonly httpsUrl: string | undefined
  /** The origin of the listener for metrics; `undefined` when it is off. */
  readonly metricsUrl: string | undefined
  /** Opens the storage again, and replaces everything between it and the listeners. For the lab. */
  readonly reopen: () => Promise<void>
  /** Reports that the service is not ready, answers the running requests and writes the audit log. */
  readonly stop: (options?: Pick<StopOptions, 'graceMs'>) => Promise<void>
}

export type StartOptions = ProcessContext & {
  readonly settings: Settings
  readonly log: Logger
  /** Default: the system, or a lab when the settings turn it on. */
  readonly environment?: ServiceEnvironment | undefined
}

/**
 * Starts the identity provider. A failed start leaves no open listener and no partial change.
 *
 * @throws {Error} with a sentence for the operator, or with Node's `code`
 */
export async function startService(options: StartOptions): Promise<Service> {
  const { settings, log, tracing } = options
  const environment = options.environment ?? (await openEnvironment(settings, log))
  if (settings.MCP_CLIENTS === 'on')
    log.warn('MCP_CLIENTS=on: this server accepts requests of MCP clients that Entra refuses')
  // 1. Listeners: a port in use must change nothing else. Certificates follow the clock of the system.
  const listeners = await openListeners(settings, systemRuntime.now, log)
  let isStopping = false
  let composed: AsyncDisposableStack | undefined
  const open = async ({ isStart }: { readonly isStart: boolean }) => {
    await using unfinished = new AsyncDisposableStack()
    // 2. Metrics and storage. A lab that opens the storage again begins new metrics.
    const metrics = listeners.metrics && (await metricsOf(settings))
    const storage = await environment.openStorage({
      dataDir: settings.DATA_DIR,
      databaseUrl: settings.DATABASE_URL,
      limits: storageLimits(settings),
      countedTenants: settings.METRICS_TENANT_IDS,
      observe: metrics?.observeQuery,
      traces: storeTraces,
      lostChanges: settings.LOST_CHANGES,
    })
    unfinished.defer(() => storage.close())
    const { ASSERTION_DATABASE_URL, DATABASE_READ_URL, MAX_USED_ASSERTIONS } = settings
    const standby = DATABASE_READ_URL && unfinished.use(await openStandby(DATABASE_READ_URL))
    const assertions =
      ASSERTION_DATABASE_URL &&
      unfinished.use(await openRegionalAssertions(ASSERTION_DATABASE_URL, MAX_USED_ASSERTIONS))
    // 3. Everything between the storage and the listeners
    const opened = {
      settings,
      log,
      tracing,
      environment,
      listeners,
      metrics,
      storage,
      standby: standby || undefined,
      regionalAssertions: assertions || undefined,
    }
    const isReady = () => !isStopping
    unfinished.use(await composeService({ ...opened, isStart, isReady }))
    composed = unfinished.move()
  }
  const stop = async (options?: StopOptions) => {
    await listeners.stop(options)
    await composed?.disposeAsync()
  }
  try {
    await open({ isStart: true })
  } catch (cause) {
    await stop()
    throw cause
  }
  return {
    url: listeners.first.listener.url,
    httpsUrl: listeners.https?.listener.url,
    metricsUrl: listeners.metrics?.url,
    reopen: async () => {
      await composed?.disposeAsync()
      await open({ isStart: false })
    },
    stop: async (options) => {
      isStopping = true
      await stop({ ...options, delayMs: settings.STOP_DELAY_SECONDS * 1000 })
    },
  }
}

/** The code of the metrics is loaded only when they are on. */
async function metricsOf(settings: Settings): Promise<Metrics> {
  const { createMetrics } = await import('../telemetry/metrics/metrics.ts')
  const { METRICS_CLIENT_IDS: clientIds, METRICS_TENANT_IDS: tenantIds } = settings
  return createMetrics({ clientIds, tenantIds })
}

/** The environment for the settings: the system, or with the lab's clock. Only then the lab's code is loaded. */
export async function openEnvironment(
  { LAB, HOST }: Pick<Settings, 'LAB' | 'HOST'>,
  log: Logger,
): Promise<ServiceEnvironment> {
  if (LAB === 'off') return systemEnvironment
  const { openLab } = await import('../lab/lab-controls.ts')
  const { service, runtime } = openLab({ log })
  log.warn(
    { host: HOST },
    'LAB=on: this server makes forged tokens and faults, never use it in production',
  )
  return { ...systemEnvironment, runtime, elapsedMs: undefined, lab: service }
}
