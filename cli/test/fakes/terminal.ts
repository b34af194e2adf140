import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailure } from '../../src/command-failure.ts'
import type { Settings } from '../../src/env-file.ts'
import { runGreeting } from '../../src/program.ts'
import type { Services } from '../../src/system/services.ts'
import type { Terminal } from '../../src/terminal.ts'
import { standIns } from './services.ts'

const folder = mkdtempSync(join(tmpdir(), 'greeting-cli-'))
process.on('exit', () => rmSync(folder, { recursive: true }))

/** A file of settings that says nothing, in a folder of its own. */
export const emptyFile = join(folder, 'empty.env')
writeFileSync(emptyFile, '')

/** The command in a terminal that remembers what was printed. */
export class RecordedTerminal {
  out = ''
  err = ''
  /** Whether a person watches. */
  isInteractive = false
  /** Whether results are shown on a terminal. */
  isOutTerminal = false
  /** Who answers questions; nobody, unless a test says so. */
  ask?: (question: string) => Promise<string>
  readonly #stop = new AbortController()
  #told: () => void = () => undefined

  /** The terminal itself, for a command that is given one. */
  terminal(environment: Settings = {}): Terminal {
    const print = (stream: 'out' | 'err') => (text: string) => {
      this[stream] += text
      this.#told()
    }
    return {
      out: print('out'),
      err: print('err'),
      body: print('out'),
      paint: (_colour, text) => text,
      isInteractive: this.isInteractive,
      isOutTerminal: this.isOutTerminal,
      // The services that the command starts inherit it.
      environment: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
      stop: this.#stop.signal,
      ...(this.ask && { ask: this.ask }),
    }
  }

  /** Runs the command; resolves with its exit code. */
  run(args: readonly string[], environment: Settings = {}, services: Services = standIns) {
    return runGreeting(args, this.terminal(environment), services)
  }

  /** What Ctrl-C does. */
  stop(): void {
    this.#stop.abort(new Error('Stopped by the test.'))
  }

  /** What Ctrl-C does, with the reason that the program gives it. */
  interrupt(): void {
    this.#stop.abort(new CommandFailure('interrupted', 'Stopped by SIGINT.'))
  }

  /** Waits until something that matches was printed on `out`. */
  async printed(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.out)) {
      await new Promise<void>((resolve) => {
        this.#told = resolve
      })
    }
    return this.out
  }
}
