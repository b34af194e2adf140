import type { Runtime } from '../model/runtime.ts'

/**
 * A runtime for a decision that may be repeated: after `repeat`, it returns the same IDs, bytes and
 * time again. Otherwise each repetition would look up a new ID, which is never loaded.
 */
export class RepeatableRuntime implements Runtime {
  readonly #runtime: Runtime
  readonly #values = new Map<string, unknown>()
  readonly #guids = new Set<string>()
  #calls = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Begins a repetition of the decision. */
  repeat(): void {
    this.#calls = 0
  }

  /** Whether this decision made an ID, so that no object can have it and no question is needed. */
  hasMade = (id: string): boolean => this.#guids.has(id)

  now = (): Date => this.#valueOf('now', () => this.#runtime.now())
  newGuid = (): string => {
    const guid = this.#valueOf('guid', () => this.#runtime.newGuid())
    this.#guids.add(guid)
    return guid
  }
  randomBytes = (length: number): Uint8Array =>
    this.#valueOf(`bytes ${length}`, () => this.#runtime.randomBytes(length))

  #valueOf<Value>(kind: string, make: () => Value): Value {
    const name = `${this.#calls} ${kind}`
    this.#calls += 1
    if (!this.#values.has(name)) this.#values.set(name, make())
    return this.#values.get(name) as Value
  }
}
