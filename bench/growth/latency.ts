import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** The distribution of latencies, in milliseconds. */
export type Latency = {
  readonly count: number
  readonly failures: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Latencies of token requests beside each disturbance. */
export type LatencyTable = readonly ({ readonly size: number; readonly beside: string } & Latency)[]

const stepsPerMs = 100

/** Latencies in a histogram of fixed size. */
export class LatencyRecorder {
  readonly #histogram: RecordableHistogram = createHistogram()
  #failures = 0

  record(ms: number): void {
    this.#histogram.record(Math.max(1, Math.round(ms * stepsPerMs)))
  }

  fail(): void {
    this.#failures += 1
  }

  /** All zero without a record. */
  read(): Latency {
    const at = (percent: number) => this.#histogram.percentile(percent) / stepsPerMs
    const { count } = this.#histogram
    return {
      count,
      failures: this.#failures,
      p50Ms: count === 0 ? 0 : at(50),
      p90Ms: count === 0 ? 0 : at(90),
      p99Ms: count === 0 ? 0 : at(99),
      maxMs: count === 0 ? 0 : this.#histogram.max / stepsPerMs,
    }
  }
}
