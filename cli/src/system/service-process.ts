import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailure } from '../command-failure.ts'
import type { Settings } from '../env-file.ts'
import { type LogFiles, RotatingLog } from './rotating-log.ts'
import type { Service } from './services.ts'

const maxErrorCharacters = 2_000
const readyPollMs = 20
const maxLogBytes = 10 * 1024 * 1024

/** Where a service listens. */
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

/** One service as a process: started, waited for, stopped. Its log goes to a file. */
export class ServiceProcess {
  readonly service: Service
  readonly #child: ChildProcess
  readonly #logFiles: LogFiles
  readonly #ended: Promise<void>
  readonly #listening = Promise.withResolvers<Listening>()
  #errorText = ''

  constructor(service: Service, settings: Settings, logFiles: LogFiles) {
    this.service = service
    this.#logFiles = logFiles
    this.#child = spawn(process.execPath, [service.mainFile], {
      env: settings,
      // The channel says nothing: that it closes tells the service that this command is gone, be it
      // killed, and the service ends too.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C reaches this command alone, which then stops the services.
      detached: true,
    })
    this.#ended = once(this.#child, 'close').then(
      () => undefined,
      () => undefined,
    )
    // Nobody waits for a service that is only being stopped.
    this.#listening.promise.catch(() => undefined)
    this.#ended.then(() => this.#listening.reject(this.failure()))
    this.#keepLog()
  }

  #keepLog(): void {
    const { stdout, stderr } = this.#child
    const log = new RotatingLog({ ...this.#logFiles, maxBytes: maxLogBytes })
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

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** What the service said when it ended, or that it ended without a word. */
  failure(): CommandFailure {
    const said = this.#errorText.trim()
    const how = this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
    const message =
      said || `The ${this.service.title} stopped (${how}). Its log is ${this.#logFiles.path}.`
    return new CommandFailure('failed', message)
  }

  /** Resolves as soon as the service listens. */
  listening(): Promise<Listening> {
    return this.#listening.promise
  }

  /** Waits until `/readyz` says so. */
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

  /** Asks the service to finish what is in hand, and after `graceMs` does not ask any more. */
  async stop(graceMs: number): Promise<void> {
    if (!this.running) return this.#ended
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), graceMs)
    await this.#ended
    clearTimeout(timer)
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
