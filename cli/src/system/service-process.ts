import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailure } from '../exit-codes.ts'
import type { Settings } from '../files/env-file.ts'
import { RotatingLog, type RotatingLogOptions } from './rotating-log.ts'
import { packageFolder, type Service } from './services.ts'

/** A requested port, and the option that sets it. */
type ChosenPort = { readonly port: number; readonly option: string }

/** Checks that the ports are available before any service starts. Port 0 is always available. */
export async function requireFreePorts(host: string, ports: readonly ChosenPort[]): Promise<void> {
  const faults: { readonly option: string; readonly message: string; readonly isTaken: boolean }[] =
    []
  for (const { port, option } of ports) {
    const server = createServer()
    try {
      server.listen(port, host)
      await once(server, 'listening')
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
      const isTaken = code === 'EADDRINUSE'
      const why = isTaken ? 'is in use' : `is not available (${code})`
      faults.push({ option, message: `Port ${port} of ${host} ${why}`, isTaken })
    } finally {
      server.close()
    }
  }
  if (faults.length === 0) return
  const message = faults.map((one) => one.message).join('\n')
  const options = faults.map((one) => one.option).join(', ')
  const remedy = `Choose another one with ${options} (0 means any free port)${faults.some(({ isTaken }) => isTaken) ? ', or stop the program that uses it' : ''}.`
  throw new CommandFailure('failed', message, { remedy })
}

const maxErrorCharacters = 2_000
const readyPollMs = 20
// Without a limit, the young generation of V8 takes 100 MB more under load.
const youngGeneration = '--max-semi-space-size=8'
// By default, glibc keeps what a start has freed. The value is its own default, then without growth.
const MALLOC_TRIM_THRESHOLD_ = '131072'
// In the folder of the command, because a process must begin with plain JavaScript to load quickly.
const heldServiceFile = () => join(packageFolder(), 'bin/held-service.js')

/** The address of a service. */
export type Listening = { readonly url: string; readonly httpsUrl: string | undefined }

function readListeningLine(line: string): Listening | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null) return undefined
    const { msg, url, httpsUrl } = entry as Readonly<Record<string, unknown>>
    if (msg !== 'listening' || typeof url !== 'string') return undefined
    return { url, httpsUrl: typeof httpsUrl === 'string' ? httpsUrl : undefined }
  } catch {
    return undefined
  }
}

/** One service as a process. Its log goes to a file. */
export class ServiceProcess {
  readonly service: Service
  readonly #child: ChildProcess
  readonly #logOptions: RotatingLogOptions
  readonly #ended: Promise<void>
  readonly #listening = Promise.withResolvers<Listening>()
  #errorText = ''
  /** The bytes of its log, as a sign of progress. */
  outputBytes = 0

  /** @param isHeld whether the service only loads its modules until `begin` */
  constructor(
    service: Service,
    settings: Settings,
    logOptions: RotatingLogOptions,
    isHeld = false,
  ) {
    this.service = service
    this.#logOptions = logOptions
    const files = isHeld ? [heldServiceFile(), service.mainFile] : [service.mainFile]
    this.#child = spawn(process.execPath, [youngGeneration, ...files], {
      env: { MALLOC_TRIM_THRESHOLD_, ...settings },
      // The channel carries the settings of a held service only. When this command ends, also when
      // it is killed, the channel closes and the service ends.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A separate process group: Ctrl-C reaches only this command, which then stops the services.
      detached: true,
    })
    this.#ended = once(this.#child, 'close').then(
      () => undefined,
      () => undefined,
    )
    // The rejection is handled here, because a service that is being stopped has no other handler.
    this.#listening.promise.catch(() => undefined)
    this.#ended.then(() => this.#listening.reject(this.failure()))
    this.#keepLog()
  }

  #keepLog(): void {
    const { stdout, stderr } = this.#child
    const log = new RotatingLog(this.#logOptions)
    for (const one of [stdout, stderr])
      one?.on('data', (chunk: Buffer | string) => {
        this.outputBytes += chunk.length
      })
    stdout?.pipe(log, { end: false })
    stderr?.pipe(log, { end: false })
    this.#ended.then(() => log.end())
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(0, maxErrorCharacters)
    })
    if (!stdout) return
    const lines = createInterface(stdout)
    lines.on('line', (line) => {
      const listening = readListeningLine(line)
      if (listening === undefined) return
      this.#listening.resolve(listening)
      lines.close()
      stdout.resume()
    })
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Starts a held service with settings that were not known before. */
  begin(settings: Settings): void {
    // A service that has ended has no channel. Its end is reported elsewhere.
    this.#child.send(settings, () => undefined)
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** The last error of the service, or a sentence that it stopped without one. */
  failure(): CommandFailure {
    const said = this.#errorText.trim()
    const how = this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
    const message =
      said || `The ${this.service.title} stopped (${how}). Its log is ${this.#logOptions.path}.`
    return new CommandFailure('failed', message)
  }

  /** Resolves when the service listens. */
  listening(): Promise<Listening> {
    return this.#listening.promise
  }

  /** Waits until `/readyz` succeeds. */
  async ready(url: string, signal: AbortSignal): Promise<void> {
    while (this.running) {
      try {
        const { status, body } = await fetch(`${url}/readyz`, { signal })
        await body?.cancel()
        if (status === 200) return
      } catch {
        signal.throwIfAborted()
      }
      await sleep(readyPollMs, undefined, { signal })
    }
    throw this.failure()
  }

  /** Asks the service to stop, and kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    if (!this.running) return this.#ended
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), graceMs)
    await this.#ended
    clearTimeout(timer)
  }

  /** Kills the process. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
