import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailure } from '../exit-codes.ts'
import type { Settings } from '../files/env-file.ts'
import { RotatingLog, type RotatingLogOptions } from './rotating-log.ts'
import type { Listening, Service } from './services.ts'

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

const stopGraceMs = 10_000

/** The part whose code runs, also in its timers and in the answers to its requests. */
const running = new AsyncLocalStorage<ServicePart>()

/** Ends the part that threw an error which nothing caught, as such an error ends a process. */
export function endPartOf(error: unknown): void {
  const part = running.getStore()
  if (part === undefined) throw error
  part.fail(error)
}

/** One service of this process, with its settings. Its log goes to a file. */
export class ServicePart {
  readonly service: Service
  readonly #logFile: string
  readonly #log: RotatingLog
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when the service has ended, and its log is written. */
  readonly ended = this.#ended.promise
  /** Resolves when the service listens. */
  readonly listening: Promise<Listening>
  #stop: (() => void) | undefined
  #exitCode: number | undefined
  #errorText = ''
  /** The bytes of its log, as a sign of progress. */
  outputBytes = 0

  constructor(service: Service, settings: Settings, logOptions: RotatingLogOptions) {
    this.service = service
    this.#logFile = logOptions.path
    this.#log = new RotatingLog(logOptions)
    this.listening = running.run(this, () => this.#run(settings))
    // The rejection is handled here, because a service that is being stopped has no other handler.
    this.listening.catch(() => undefined)
  }

  async #run(settings: Settings): Promise<Listening> {
    try {
      const run = await this.service.load()
      const listening = await run({
        env: settings,
        argv: [],
        pid: process.pid,
        report: process.report,
        stderr: { write: (text) => this.#writeError(text) },
        on: (_signal, stop) => {
          this.#stop = stop
        },
        exit: (code) => this.#end(code),
        output: { stream: { write: (text) => this.#write(text) }, end: async () => undefined },
      })
      if (listening !== undefined) return listening
    } catch (error) {
      this.fail(error)
    }
    await this.ended
    throw this.failure()
  }

  #write(text: string): void {
    this.outputBytes += text.length
    if (this.running) this.#log.write(text)
  }

  #writeError(text: string): void {
    this.#write(text)
    this.#errorText = (this.#errorText + text).slice(0, maxErrorCharacters)
  }

  #end(code: number): void {
    if (!this.running) return
    this.#exitCode = code
    this.#log.end(() => this.#ended.resolve())
  }

  /** Ends the service with an error that it did not catch. */
  fail(error: unknown): void {
    this.#writeError(`${error instanceof Error ? error.stack : error}\n`)
    this.#end(1)
  }

  get running(): boolean {
    return this.#exitCode === undefined
  }

  /** The last error of the service, or a sentence that it stopped without one. */
  failure(): CommandFailure {
    const said = this.#errorText.trim()
    const message =
      said ||
      `The ${this.service.title} stopped (exit code ${this.#exitCode}). Its log is ${this.#logFile}.`
    return new CommandFailure('failed', message)
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

  /** Asks a service that listens to stop. Returns whether it has ended within 10 s. */
  async stop(): Promise<boolean> {
    // A start cannot be undone. It ends with the process, as a killed one.
    if (this.#stop === undefined) return !this.running
    running.run(this, this.#stop)
    const timer = new AbortController()
    const late = sleep(stopGraceMs, false, timer).catch(() => false)
    const isEnded = await Promise.race([this.ended.then(() => true), late])
    timer.abort()
    return isEnded
  }
}
