import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Values by label value; undefined while a value is unknown. */
export type LabelledValues = Readonly<Record<string, number | undefined>>

/** Creates metrics in one registry, whose values are read when Prometheus scrapes them. */
export class MetricSet {
  readonly #registers: Registry[]

  constructor(registry: Registry) {
    this.#registers = [registry]
  }

  /** A value that is read when it is asked for; without a line while it is unknown. */
  gauge(name: string, help: string, value: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      collect() {
        const current = value()
        // A gauge without labels is 0 until it is removed, and 0 would be a false value.
        if (current === undefined) this.remove()
        else this.set(current)
      },
    })
  }

  /** A value for each value of a label. */
  gaugeBy<Label extends string>(
    label: Label,
    name: string,
    help: string,
    values: () => LabelledValues,
  ): void {
    new Gauge<Label>({
      name,
      help,
      registers: this.#registers,
      labelNames: [label],
      collect() {
        this.reset()
        for (const [key, current] of Object.entries(values()))
          if (current !== undefined) this.set({ [label]: key } as Record<Label, string>, current)
      },
    })
  }

  /** A count since the start, which another object keeps. */
  count(name: string, help: string, value: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  }

  /** A count since the start for each value of a label, which another object keeps. */
  countBy<Label extends string>(
    label: Label,
    name: string,
    help: string,
    values: () => Readonly<Record<string, number>>,
  ): void {
    new Counter<Label>({
      name,
      help,
      registers: this.#registers,
      labelNames: [label],
      collect() {
        this.reset()
        for (const [key, current] of Object.entries(values()))
          this.inc({ [label]: key } as Record<Label, string>, current)
      },
    })
  }

  /** A count for each combination of labels. */
  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    return new Counter<Label>({ name, help, labelNames, registers: this.#registers })
  }

  /** Durations in seconds. */
  durations<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: readonly number[],
  ) {
    return new Histogram<Label>({
      name,
      help,
      labelNames,
      buckets: [...buckets],
      registers: this.#registers,
    })
  }
}
