import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../../src/index.ts'
import { now } from '../token-factory.ts'

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>
type Task = { readonly atMs: number; readonly run: () => void }

/** Time that passes when it is told to, and a provider that answers as it is told to. */
export class VirtualRuntime implements Runtime {
  /** Every URL that was fetched, and when. */
  readonly fetched: { readonly url: string; readonly atMs: number }[] = []
  answer: Answer
  randomNumber = 0
  #wallMs = now * 1000
  #monotonicMs = 5000
  #tasks: Task[] = []

  constructor(answer: Answer | string) {
    this.answer = typeof answer === 'string' ? () => new Response(answer) : answer
  }

  /** From now on the provider publishes this. */
  publish(body: string): void {
    this.answer = () => new Response(body)
  }

  /** From now on the provider cannot be reached. */
  goDown(): void {
    this.answer = () => Promise.reject(new TypeError('fetch failed'))
  }

  readonly fetch: Runtime['fetch'] = async (url, init) => {
    this.fetched.push({ url, atMs: this.#monotonicMs })
    return this.answer(url, init)
  }

  readonly wallClockMs = () => this.#wallMs
  readonly monotonicMs = () => this.#monotonicMs
  readonly random = () => this.randomNumber

  readonly schedule: Runtime['schedule'] = (delayMs, run) => {
    const task = { atMs: this.#monotonicMs + delayMs, run }
    this.#tasks.push(task)
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task)
    }
  }

  /** What is scheduled, as milliseconds from now. */
  get scheduledMs(): number[] {
    return this.#tasks.map(({ atMs }) => atMs - this.#monotonicMs)
  }

  /** Only the wall clock moves, as when somebody sets it. */
  setWallClock(changeSeconds: number): void {
    this.#wallMs += changeSeconds * 1000
  }

  /** Lets time pass, running what falls due on the way. */
  async pass(seconds: number): Promise<void> {
    const endMs = this.#monotonicMs + seconds * 1000
    await this.settle()
    for (;;) {
      const [next] = this.#tasks.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)
      if (next === undefined) break
      this.#tasks = this.#tasks.filter((task) => task !== next)
      this.#moveTo(Math.max(next.atMs, this.#monotonicMs))
      next.run()
      await this.settle()
    }
    this.#moveTo(endMs)
  }

  /** Lets everything that waits on answered promises and streams run to its end. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) await turn()
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs
    this.#monotonicMs = monotonicMs
  }
}
