import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { CommandFailure } from '../../src/exit-codes.ts'
import type { Settings } from '../../src/files/env-file.ts'
import { runGreeting } from '../../src/program.ts'
import { type Services, services } from '../../src/system/services.ts'
import type { Terminal } from '../../src/terminal.ts'
import { fakeServices } from './services.ts'

const folder = freshFolder()

/** An empty settings file in its own folder. */
export const emptyFile = join(folder, 'empty.env')
writeFileSync(emptyFile, '')

/** The command in a terminal that records its output. */
export class RecordedTerminal {
  out = ''
  err = ''
  /** Whether the error stream is a terminal. */
  isInteractive = false
  /** Whether the standard output is a terminal. */
  isOutTerminal = false
  /** The width of the standard output. */
  columns?: number
  /** Answers questions. Without it, commands cannot ask. */
  ask?: (question: string) => Promise<string>
  readonly #stop = new AbortController()
  #onOutput: () => void = () => undefined

  /** The terminal for a command. */
  terminal(environment: Settings = {}): Terminal {
    const print = (stream: 'out' | 'err') => (text: string) => {
      this[stream] += text
      this.#onOutput()
    }
    return {
      out: print('out'),
      err: print('err'),
      body: print('out'),
      paint: (_colour, text) => text,
      isInteractive: this.isInteractive,
      isOutTerminal: this.isOutTerminal,
      columns: this.columns,
      // The services that the command starts inherit it.
      environment: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
      stop: this.#stop.signal,
      ...(this.ask && { ask: this.ask }),
    }
  }

  /** Runs the command; resolves with its exit code. */
  run(args: readonly string[], environment: Settings = {}, services: Services = fakeServices) {
    return runGreeting(args, this.terminal(environment), services)
  }

  /** Aborts the signal, as Ctrl-C does. */
  stop(): void {
    this.#stop.abort(new Error('Stopped by the test.'))
  }

  /** Aborts the signal with the reason that `main.ts` uses for Ctrl-C. */
  interrupt(): void {
    this.#stop.abort(new CommandFailure('interrupted', 'Stopped by SIGINT.'))
  }

  /** Waits until something that matches was printed on `out`. */
  async printed(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.out)) {
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve
      })
    }
    return this.out
  }
}

/** Runs a command of the real services to its end, and resolves with its exit code and output. */
export async function endedCommand(...args: readonly string[]) {
  const terminal = new RecordedTerminal()
  const code = await terminal.run(args, { PATH: process.env.PATH }, services)
  return { code, out: terminal.out, err: terminal.err }
}

/** Runs a command of the fake services to its end, and resolves with its exit code and whole output. */
export async function ended(args: readonly string[], settings: Record<string, string>) {
  const terminal = new RecordedTerminal()
  const code = await terminal.run(args, settings)
  return { code, text: terminal.out + terminal.err }
}
