import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pinned } from './cores.ts'
import { endWithRun } from './own-process.ts'

const tellAgainMs = 20

/** A process that goes on only while it is told to. It knows nothing of the time that it is held. */
export class HeldProcess {
  readonly #child: ChildProcess & { stdout: Readable; stderr: Readable }
  #printed = ''
  #hasEnded = false
  #heldSinceMs = 0
  #heldMs = 0
  #holds = 0

  /**
   * Starts a program on the given cores, and holds it as soon as it says that it is ready.
   *
   * @param ready what it prints then
   * @throws {Error} when it ends without having said so; the message is what it printed
   */
  static async start(
    command: readonly string[],
    cores: readonly number[],
    ready: RegExp,
  ): Promise<HeldProcess> {
    const held = new HeldProcess(command, cores)
    await held.#hasPrinted(ready)
    held.hold()
    return held
  }

  private constructor(command: readonly string[], cores: readonly number[]) {
    const [program = '', ...rest] = pinned(cores, command)
    this.#child = endWithRun(spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] }))
    this.#child.once('close', () => {
      this.#hasEnded = true
      this.#child.emit('heard')
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text
        this.#child.emit('heard')
      })
    }
  }

  /** How often it was held. */
  get holds(): number {
    return this.#holds
  }

  /** For how long it was held, all together. */
  get heldSeconds(): number {
    return this.#heldMs / 1000
  }

  go(): void {
    this.#heldMs += performance.now() - this.#heldSinceMs
    this.#child.kill('SIGCONT')
  }

  hold(): void {
    this.#child.kill('SIGSTOP')
    this.#heldSinceMs = performance.now()
    this.#holds += 1
  }

  /**
   * Tells a process that is held to come to its end, and returns what it printed.
   *
   * @param signal what tells it
   * @param last what it prints when it is done
   * @throws {Error} when it ends without having printed that; the message is what it printed instead
   */
  async finish(signal: NodeJS.Signals, last: RegExp): Promise<string> {
    this.go()
    const tell = () => this.#child.kill(signal)
    tell()
    // A signal comes to any one thread, and wrk waits for it in only one of its two.
    const again = setInterval(tell, tellAgainMs)
    try {
      await this.#hasPrinted(last)
      return this.#printed
    } finally {
      clearInterval(again)
      this.#child.kill('SIGKILL')
    }
  }

  async #hasPrinted(wanted: RegExp): Promise<void> {
    while (!wanted.test(this.#printed)) {
      if (this.#hasEnded) throw new Error(`it ended and said: ${this.#printed.trim()}`)
      await once(this.#child, 'heard')
    }
  }
}
