// Folder: A service as a process, or as a part of one: its start, its health, its log and its end.

import { Worker } from 'node:worker_threads'
import {
  readTracingOptions,
  startTracing,
  type Tracing,
  type TracingSettings,
} from '@greeting/tracing'
import { type Logger, pino } from 'pino'
import { misspeltSettings, SettingsError } from '../settings/settings-reader.ts'
import { visibleText } from '../visible-text.ts'
import { checkHealth, type HealthSettings, healthCheckOf } from './health-check.ts'
import { explainStartFailure, readMaxOpenFiles, type StartSettings } from './start-failure.ts'

/** A service that accepts requests. */
type RunningService = {
  readonly url: string
  readonly httpsUrl?: string | undefined
  readonly metricsUrl?: string | undefined
  /** Answers the running requests and releases everything. Idle connections stay open for a grace. */
  readonly stop: (options: { readonly graceMs: number }) => Promise<void>
}

/** The process of a service, or the part of a process that is one of several services. */
export type ServiceHost = Pick<NodeJS.Process, 'env' | 'argv' | 'pid' | 'report'> &
  Partial<ChildProcess> & {
    readonly stderr: { readonly write: (text: string) => unknown }
    readonly on: (signal: 'SIGTERM' | 'SIGINT', stop: () => void) => unknown
    readonly exit: (code: number) => unknown
    /** The log of a part. Default: the standard output. */
    readonly output?: LogOutput
  }

/** The addresses of a service that listens. */
export type Listening = Pick<RunningService, 'url' | 'httpsUrl'>

/** What a service has only as a process. */
export type ProcessContext = {
  /** Undefined when the settings name no collector. */
  readonly tracing?: Tracing | undefined
}

type ServiceDefinition<Settings> = {
  /** The name in the log, such as `greeting-api`. */
  readonly name: string
  /** The name in messages, such as `greeting API`. */
  readonly title: string
  readonly settingNames: readonly string[]
  readonly readSettings: (environment: NodeJS.ProcessEnv) => Settings
  readonly start: (
    settings: Settings,
    log: Logger,
    context: ProcessContext,
  ) => Promise<RunningService>
}

type ServiceSettings = StartSettings &
  TracingSettings &
  HealthSettings & {
    readonly LOG_LEVEL: string
    readonly STOP_DELAY_SECONDS: number
  }

/**
 * Runs a service as this process or as a part of it, until a signal, or until the parent exits.
 *
 * With `--healthcheck` or `--healthcheck=healthz`, it requests the state of the running service
 * with these settings instead.
 *
 * Exit codes: 0 after a stop and for a good state, 1 when the start or the stop fails and for any
 * other state, 2 for invalid settings and arguments.
 *
 * @param startDeadline kills the process when its stop takes too long. A part has no deadline.
 * @returns undefined when the service does not run
 */
export async function runService<Settings extends ServiceSettings>(
  host: ServiceHost,
  { name, title, settingNames, readSettings, start }: ServiceDefinition<Settings>,
  startDeadline = host.output ? () => () => {} : startExitDeadline,
): Promise<Listening | undefined> {
  const fail = (text: string, exitCode: number): undefined => {
    host.stderr.write(`${text}\n`)
    host.exit(exitCode)
  }
  let settings: Settings
  try {
    settings = readSettings(host.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return fail(error.message.split('\n').map(visibleText).join('\n'), 2)
  }
  const check = healthCheckOf(host.argv)
  if (check !== undefined) {
    const { exitCode, text } = await checkHealth(check, settings)
    return exitCode === 0 ? void host.exit(0) : fail(text, exitCode)
  }
  const tracing = await startTracing(readTracingOptions(settings, name))
  const output = host.output ?? openLogOutput()
  const options = {
    level: settings.LOG_LEVEL,
    base: { service: name, pid: host.pid },
    ...(tracing && { mixin: tracing.logFields }),
  }
  const log = pino(options, output.stream)
  try {
    for (const [variable, setting] of misspeltSettings(host.env, settingNames))
      log.warn({ variable, setting }, `${variable} is no setting; did you mean ${setting}?`)
    const service = await start(settings, log, { tracing })
    const stopAll = async () => {
      const within = startDeadline(settings.STOP_DELAY_SECONDS * 1000 + maxStopMs)
      try {
        await service.stop({ graceMs })
        await tracing?.stop()
        return 0
      } catch (cause) {
        log.error({ err: cause }, 'stop failed')
        return 1
      } finally {
        await output.end()
        within(maxExitMs)
      }
    }
    const stop = stopOnce(host, log, stopAll)
    // Before the log message: its reader may send a signal immediately.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) host.on(signal, () => stop(signal))
    const { url, httpsUrl, metricsUrl } = service
    log.info({ url, httpsUrl, metricsUrl }, 'listening')
    watchParent(host, () => stop('parent_ended'))
    return service
  } catch (error) {
    await output.end()
    const sentence = explainStartFailure(error as Error, settings, readMaxOpenFiles(host))
    // One line: the sentence may contain text of a file.
    return fail(visibleText(`The ${title} cannot start: ${sentence}.`), 1)
  }
}

/** A client that got no answer with `Connection: close` may send a request for this long after a stop. */
const graceMs = 1000
/** A stop takes less: open requests for 30 s, then the audit log and the traces. After it, the process is killed. */
const maxStopMs = 60_000
const maxExitMs = 2000

/** Returns a function that stops the service and ends the process. Only its first call counts. */
function stopOnce(host: ServiceHost, log: Logger, stopAll: () => Promise<number>) {
  let isStopping = false
  return (reason: string): void => {
    // Ctrl-C reaches the process from the terminal and from npm. The first stop must finish.
    if (isStopping) return
    isStopping = true
    log.info({ reason }, 'stopping')
    stopAll().then((exitCode) => host.exit(exitCode))
  }
}

/** The part of `process` that describes the parent process. */
export type ChildProcess = Pick<NodeJS.Process, 'once' | 'connected' | 'send'>

/**
 * Calls once when the parent process has ended.
 *
 * A parent that starts a service over an IPC channel wants the service to end with it. The system
 * closes the channel in every case, even when the parent is killed. Without a channel nothing is
 * watched. The command `greeting start` polls its own parent, because npm opens no channel.
 */
export function watchParent(child: Partial<ChildProcess>, onEnd: () => void): void {
  // Bun sets `connected` to false without a channel too. Only `send` shows that there was one.
  if (child.send === undefined) return
  child.once?.('disconnect', onEnd)
  // The channel may have closed before this call.
  if (child.connected === false) onEnd()
}

// Plain JavaScript in one text: a file would need another path after a build.
const thread = `
const { parentPort, workerData } = require('node:worker_threads')
let timer
const wait = (delayMs) => {
  clearTimeout(timer)
  timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), delayMs)
}
wait(workerData)
parentPort.on('message', wait)
`

/**
 * Kills this process when it has not ended in time. Another thread counts, because a process that
 * cannot end may have a blocked main thread, which handles no timer and no signal.
 *
 * @returns a function that begins another time
 */
function startExitDeadline(delayMs: number): (delayMs: number) => void {
  const worker = new Worker(thread, { eval: true, workerData: delayMs })
  worker.unref()
  // Without resources for a thread, the process stops without a deadline.
  worker.on('error', () => {})
  return (nextDelayMs) => worker.postMessage(nextDelayMs)
}

const maxFlushMs = 1000

/** The log output of a process, and a function that writes its last lines before an exit. */
type LogOutput = {
  readonly stream: { readonly write: (line: string) => void }
  /** Resolves when all lines are written, when the reader has gone, or after 1 s. */
  readonly end: () => Promise<void>
}

/**
 * Opens the log output of a process: standard output.
 *
 * At an exit, the stream of pino writes its rest in a loop that ignores errors. When the reader has
 * gone, this loop never ends, and no signal interrupts it but SIGKILL. So `end` must run before.
 */
export function openLogOutput(fd = 1): LogOutput {
  const stream = pino.destination({ fd })
  let isBroken = false
  const broken = new Promise<void>((resolve) => {
    // Each line that follows has an error too: ECONNRESET first, then EPIPE.
    stream.on('error', () => {
      isBroken = true
      resolve()
    })
  })
  const end = async () => {
    const closed = new Promise<void>((resolve) => {
      stream.once('close', resolve)
    })
    if (!isBroken) {
      stream.end()
      const { promise: limit, resolve } = Promise.withResolvers<void>()
      // It keeps the process, which would otherwise exit here, and write its rest.
      const timer = setTimeout(resolve, maxFlushMs)
      await Promise.race([closed, broken, limit])
      clearTimeout(timer)
    }
    stream.flushSync = () => {}
  }
  return { stream, end }
}
