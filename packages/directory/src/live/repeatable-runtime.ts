import type { Runtime } from '../model/runtime.ts'

/**
 * A runtime for a decision that may be repeated: after `repeat`, it returns the same IDs, bytes and time
 * again. Otherwise each repetition would look up another new ID, which is never loaded.
 */
export class RepeatableRuntime implements Runtime {
  readonly #runtime: Runtime
  readonly #values = new Map<string, unknown>()
  #calls = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Begins a repetition of the decision. */
  repeat(): void {
    this.#calls = 0
  }

  now = (): Date => this.#valueOf('now', () => this.#runtime.now())
  newGuid = (): string => this.#valueOf('guid', () => this.#runtime.newGuid())
  randomBytes = (length: number): Uint8Array =>
    this.#valueOf(`bytes ${length}`, () => this.#runtime.randomBytes(length))

  #valueOf<Value>(kind: string, make: () => Value): Value {
    const name = `${this.#calls} ${kind}`
    this.#calls += 1
    if (!this.#values.has(name)) this.#values.set(name, make())
    return this.#values.get(name) as Value
  }
}
