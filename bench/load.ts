import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { killAtExit } from '../deploy/running/process.ts'
import { cpuSecondsOf } from './machine.ts'
import { onServerCore, type ServerProcess } from './server-process.ts'

/** GET requests with one bearer token after another, POST requests with one form after another, or GET requests. */
export type LoadRequest = {
  readonly url: string
  readonly tokens?: readonly string[]
  readonly forms?: readonly string[]
}

/** Latencies in milliseconds. */
export type Latency = {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

/** Requests over all connections at once, each connection with one request at a time. */
export type FullLoad = LoadRequest & { readonly requests: number; readonly connections: number }

/** Requests at a constant rate. Latencies count after the warm-up. */
export type PacedLoad = LoadRequest & {
  readonly perSecond: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** The open connections of a full load. */
const connections = 32
/** Fewer requests on each connection would measure the start of the load. */
const leastPerConnection = 4
const leastRequests = connections * leastPerConnection

/** No server needs less for a request. A short load may end within one tick of the processor time. */
const leastUs = 10

/** Sends each load from a thread of its own, so that work in this thread delays no request. */
async function inThread<Report>(file: string, load: FullLoad | PacedLoad): Promise<Report> {
  const worker = new Worker(new URL(`./load/${file}`, import.meta.url), { workerData: load })
  const { promise, resolve, reject } = Promise.withResolvers<Report>()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the load ended without a report')))
  return promise.finally(() => worker.terminate())
}

/** @throws {Error} when a request fails */
export async function pacedLoad(load: PacedLoad): Promise<Latency> {
  const latency = await inThread<Latency>('paced-load.ts', load)
  if (latency.failures > 0) throw new Error(`${latency.failures} requests failed`)
  return latency
}

/** The server's CPU time for one request, in microseconds, and its requests per second. */
export type Cost = { readonly us: number; readonly perSecond: number }

/** A load that takes some seconds of the server's CPU time. */
export type CpuLoad = (seconds: number) => Promise<Cost>

/**
 * A full load whose number of requests follows the cost of the latest load. So a busy machine makes
 * a load longer and never shorter.
 *
 * @param requestOf makes the requests of one load, of this number
 * @param mostRequests the maximum number of requests of one load; none by default
 */
export function cpuLoad(
  { pid }: Pick<ServerProcess, 'pid'>,
  requestOf: (requests: number) => LoadRequest,
  mostRequests = Number.POSITIVE_INFINITY,
): CpuLoad {
  let latestUs = Number.POSITIVE_INFINITY
  return async (seconds) => {
    const wanted = Math.max(leastRequests, Math.ceil((seconds * 1e6) / latestUs))
    const requests = Math.min(wanted, mostRequests)
    const before = cpuSecondsOf(pid)
    const load: FullLoad = { ...requestOf(requests), requests, connections }
    const report = await inThread<{ seconds: number; failures: string }>('full-load.ts', load)
    if (report.failures !== '') throw new Error(report.failures)
    const us = ((cpuSecondsOf(pid) - before) * 1e6) / requests
    latestUs = Math.max(us, leastUs)
    return { us, perSecond: requests / report.seconds }
  }
}

/** A line such as `+R1:7612:2048:2.00`: the number of signatures and their seconds of processor time. */
const signatures = /^\+R1:(\d+):2048:([\d.]+)$/m

/** Measures `openssl speed` signatures on the core of the servers. */
export const opensslLoad: CpuLoad = async (seconds) => {
  const length = String(Math.max(1, seconds))
  const [program = '', ...rest] = onServerCore(['openssl', 'speed', '-mr', '-seconds', length])
  const openssl = killAtExit(spawn(program, [...rest, 'rsa2048'], { stdio: 'pipe' }))
  const { promise, resolve, reject } = Promise.withResolvers<Cost>()
  let printed = ''
  openssl.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    const [, count, time] = signatures.exec(printed) ?? []
    if (count === undefined) return
    const perSecond = Number(count) / Number(time)
    resolve({ us: 1e6 / perSecond, perSecond })
  })
  openssl.once('error', reject)
  openssl.once('close', () => reject(new Error(`openssl ended and printed: ${printed}`)))
  // Otherwise openssl would continue with verifications.
  return promise.finally(() => openssl.kill())
}
