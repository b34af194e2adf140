// Folder: The faults: their rows, and those that are armed.

import type { z } from 'zod'
import type { Endpoint, FaultContext } from './fault-context.ts'
import { type FaultRow, faultRows } from './fault-rows.ts'
import { type FaultSpec, parseFault, type ValidFault } from './fault-spec.ts'

/** An armed fault, and how often it was applied. */
export type ArmedFault = ValidFault & {
  readonly id: string
  /** The number of requests that it has broken. */
  readonly applied: number
  /** False when its number or its time is used up. */
  readonly isArmed: boolean
}

type Entry = {
  readonly id: string
  readonly fault: ValidFault
  readonly untilMs: number
  left: number
  applied: number
}

/** The request that a fault may break. */
export type FaultTarget = {
  readonly endpoint: Endpoint
  readonly clientId: string | undefined
  readonly runId: string | undefined
}

/** The error that lists faults which no request has met. */
export class FaultsNotAppliedError extends Error {
  readonly code = 'faults_not_applied'
  override readonly name = 'FaultsNotAppliedError'

  constructor(faults: readonly ArmedFault[]) {
    const names = faults.map(({ fault, at }) => `${fault} at ${at}`)
    super(`No request has met these faults: ${names.join(', ')}`)
  }
}

export type FaultsOptions = {
  /** The clock of the lab, in milliseconds. */
  readonly nowMs: () => number
  /** Receives `armed`, `applied` and `cleared` faults. */
  readonly onEvent: (event: 'armed' | 'applied' | 'cleared', fault: ArmedFault) => void
}

const maxFaults = 100

/** The faults of a lab. The first one that matches a request breaks the response. */
export class Faults {
  readonly #options: FaultsOptions
  #entries: Entry[] = []
  #count = 0

  constructor(options: FaultsOptions) {
    this.#options = options
  }

  /**
   * Arms a fault: for one request, unless it has `times` or `seconds`.
   *
   * @throws {FaultSpecError} fault_invalid lists every problem
   * @throws {RangeError} when 100 faults are armed
   */
  add(spec: FaultSpec): ArmedFault {
    const fault = parseFault(spec)
    const { times, seconds } = fault
    if (this.#entries.length >= maxFaults) this.#entries = this.#entries.filter(this.#isArmed)
    if (this.#entries.length >= maxFaults) throw new RangeError(`${maxFaults} faults are armed`)
    this.#count += 1
    const entry = {
      id: `fault-${this.#count}`,
      fault,
      untilMs: seconds === undefined ? Infinity : this.#options.nowMs() + seconds * 1000,
      left: times ?? (seconds === undefined ? 1 : Infinity),
      applied: 0,
    }
    this.#entries.push(entry)
    this.#options.onEvent('armed', this.#show(entry))
    return this.#show(entry)
  }

  /** All faults since the last `clear`, with those that are used up. */
  list(): readonly ArmedFault[] {
    return this.#entries.map(this.#show)
  }

  /** Removes a fault. Returns whether it was there. */
  remove(id: string): boolean {
    const entry = this.#entries.find((one) => one.id === id)
    if (entry === undefined) return false
    this.#entries = this.#entries.filter((one) => one !== entry)
    this.#options.onEvent('cleared', this.#show(entry))
    return true
  }

  /** Removes all faults. */
  clear(): void {
    for (const { id } of this.#entries) this.remove(id)
  }

  /**
   * Arms faults while a function runs, and removes them afterwards.
   *
   * @throws {FaultsNotAppliedError} faults_not_applied when a request met none of them, unless `mustApply` is false
   */
  async during<Result>(
    specs: FaultSpec | readonly FaultSpec[],
    run: () => Result | Promise<Result>,
    { mustApply = true }: { readonly mustApply?: boolean } = {},
  ): Promise<Result> {
    const ids: string[] = []
    try {
      for (const spec of [specs].flat()) ids.push(this.add(spec).id)
      const result = await run()
      if (mustApply) this.assertApplied((fault) => ids.includes(fault.id))
      return result
    } finally {
      for (const id of ids) this.remove(id)
    }
  }

  /**
   * Checks that requests have met the faults.
   *
   * @param which default: all faults
   * @throws {FaultsNotAppliedError} faults_not_applied with the faults that no request has met
   */
  assertApplied(which: (fault: ArmedFault) => boolean = () => true): void {
    const unmet = this.list().filter((fault) => which(fault) && fault.applied === 0)
    if (unmet.length > 0) throw new FaultsNotAppliedError(unmet)
  }

  /** The first fault that matches a request, counted as applied. */
  take({ endpoint, clientId, runId }: FaultTarget): TakenFault | undefined {
    const entry = this.#entries.find(
      (one) =>
        this.#isArmed(one) &&
        one.fault.at === endpoint &&
        (one.fault.client === undefined || one.fault.client === clientId) &&
        (one.fault.run === undefined || one.fault.run === runId),
    )
    if (entry === undefined) return undefined
    entry.left -= 1
    entry.applied += 1
    const armed = this.#show(entry)
    this.#options.onEvent('applied', armed)
    const row: FaultRow<Endpoint, z.ZodRawShape> = faultRows[armed.fault]
    return { armed, apply: (context) => row.apply(armed.parameters, context) }
  }

  #isArmed = ({ left, untilMs }: Entry): boolean => left > 0 && this.#options.nowMs() < untilMs

  #show = (entry: Entry): ArmedFault => ({
    ...entry.fault,
    id: entry.id,
    applied: entry.applied,
    isArmed: this.#isArmed(entry),
  })
}

/** A fault that applies to one request. */
export type TakenFault = {
  readonly armed: ArmedFault
  readonly apply: (context: FaultContext) => Promise<Response>
}
