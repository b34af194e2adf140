import { Worker } from 'node:worker_threads'
import type { Latency } from '../latency.ts'

/** Token requests at a constant rate, each with another client. */
export type PacedLoad = {
  readonly url: string
  readonly seed: string
  /** The clients that take turns. */
  readonly clients: number
  readonly perSecond: number
  readonly seconds: number
  /** The time before the first latency that counts; default 1. */
  readonly warmUpSeconds?: number
}

/** Sends the load from a thread of its own, so that work in this thread delays no request. */
export async function pacedLoad(load: PacedLoad): Promise<Latency> {
  const worker = new Worker(new URL('./paced-thread.ts', import.meta.url), { workerData: load })
  const { promise, resolve, reject } = Promise.withResolvers<Latency>()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the load ended without a report')))
  return promise.finally(() => worker.terminate())
}
