import { AggregatorRegistry, Counter, Gauge, type Registry } from 'prom-client'
import type { Channel } from './channel.ts'
import { allTopic, ownTopic } from './worker-report.ts'

type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

const timeoutMs = 2000
/** Values that only grow: they are kept when their worker has ended. */
const cumulativeTypes: ReadonlySet<string> = new Set(['counter', 'histogram'])

/**
 * The metrics of all workers as one, in the primary process.
 *
 * The counts of a worker that has ended stay in the sums, so a counter never goes back. Requests
 * between the last reading and the end of a killed worker are not counted.
 */
export class WorkerMetrics {
  readonly #channels: () => readonly Channel[]
  readonly #latest = new Map<Channel, Samples>()
  readonly #own = new AggregatorRegistry()
  readonly #replacements: Counter
  #ended: Samples = []

  /** @param channels the channels of the running workers */
  constructor(channels: () => readonly Channel[]) {
    const registers = [this.#own]
    new Gauge({
      name: 'greeting_workers',
      help: 'Worker processes that are running.',
      registers,
      collect() {
        this.set(channels().length)
      },
    })
    this.#replacements = new Counter({
      name: 'greeting_worker_replacements_total',
      help: 'Worker processes that ended and were replaced.',
      registers,
    })
    this.#channels = channels
  }

  /** Answers the questions of a worker about the metrics of all. */
  serve(channel: Channel): void {
    channel.handle(allTopic, () => this.read())
  }

  /** Keeps the counts of a worker that has ended. */
  async keepCounts(channel: Channel): Promise<void> {
    this.#replacements.inc()
    const latest = this.#latest.get(channel) ?? []
    this.#latest.delete(channel)
    const cumulative = latest.filter(({ type }) => cumulativeTypes.has(String(type)))
    this.#ended = await AggregatorRegistry.aggregate([this.#ended, cumulative]).getMetricsAsJSON()
  }

  /** Reads all metrics in the format of Prometheus. A worker that is busy counts as of its last answer. */
  async read(): Promise<string> {
    await Promise.all(
      this.#channels().map(async (channel) => {
        const samples = await channel.ask(ownTopic, null, timeoutMs).catch(() => undefined)
        if (samples !== undefined && this.#channels().includes(channel)) {
          this.#latest.set(channel, samples as Samples)
        }
      }),
    )
    const own = await this.#own.getMetricsAsJSON()
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#ended, own]).metrics()
  }
}
