import type { Registry } from 'prom-client'
import type { Channel } from './channel.ts'

/** The question to a worker for its own metrics. */
export const ownTopic = 'metrics'
/** The question to the primary process for the metrics of all workers. */
export const allTopic = 'all_metrics'

/** Answers the primary process with the metrics of this worker. */
export const reportMetrics = (channel: Channel, registry: Registry): void =>
  channel.handle(ownTopic, () => registry.getMetricsAsJSON())

/** Asks the primary process for the metrics of all workers, in the format of Prometheus. */
export const readAllMetrics = async (channel: Channel): Promise<string> =>
  String(await channel.ask(allTopic))
