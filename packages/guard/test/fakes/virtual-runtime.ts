import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../../src/index.ts'
import { now } from '../token-factory.ts'

type Answer = (url: string, init: RequestInit) => Response | Promise<Response>
type Task = { readonly atMs: number; readonly run: () => void }

/** A virtual clock, and a fake provider. */
export class VirtualRuntime implements Runtime {
  /** Every fetched URL with its time. */
  readonly fetched: { readonly url: string; readonly atMs: number }[] = []
  answer: Answer
  randomNumber = 0
  #wallMs = now * 1000
  #monotonicMs = 5000
  #tasks: Task[] = []

  constructor(answer: Answer | string) {
    this.answer = typeof answer === 'string' ? () => new Response(answer) : answer
  }

  /** Replaces the published key set. */
  publish(body: string): void {
    this.answer = () => new Response(body)
  }

  /** Makes the provider unreachable. */
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

  /** The refreshes that requests have started. */
  readonly kept: Promise<void>[] = []
  readonly waitUntil: Runtime['waitUntil'] = (promise) => {
    this.kept.push(promise)
  }

  /** Drops all timers, as workerd does at the end of a request. */
  dropTimers(): void {
    this.#tasks = []
  }

  /** Delays of the scheduled timers, in milliseconds from now. */
  get scheduledMs(): number[] {
    return this.#tasks.map(({ atMs }) => atMs - this.#monotonicMs)
  }

  /** Moves only the wall clock, as a clock change does. */
  setWallClock(changeSeconds: number): void {
    this.#wallMs += changeSeconds * 1000
  }

  /** Advances the time and runs the timers that become due. */
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

  /** Runs all pending promises and streams to their end. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) await turn()
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs
    this.#monotonicMs = monotonicMs
  }
}
