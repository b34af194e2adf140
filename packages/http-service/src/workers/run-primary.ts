import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from 'pino'
import { SharedFetch } from './shared-fetch.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { type WorkerAddress, WorkerPool, type WorkerProcess } from './worker-pool.ts'

/** The settings that the primary process reads: `WORKERS`, and each port that the workers share. */
type PrimarySettings = Parameters<typeof chooseFreePorts>[0] & { readonly WORKERS: number }

/**
 * Starts the workers of a service, each with the program and the environment of this process.
 *
 * @throws {WorkerStartError} worker_start_failed when one of them cannot start
 */
export async function startWorkers(
  settings: PrimarySettings,
  log: Logger,
): Promise<WorkerAddress & { readonly stop: () => Promise<void> }> {
  cluster.setupPrimary({ serialization: 'advanced' })
  const ports = await chooseFreePorts(settings)
  const readyPids = new Set<number | undefined>()
  const fork = () => {
    const worker = cluster.fork(ports)
    const isOther = (other: typeof worker | undefined) =>
      other !== worker && other?.isConnected() && readyPids.has(other.process.pid)
    takeBackConnections(worker.process, () => Object.values(cluster.workers ?? {}).some(isOther))
    return worker as WorkerProcess
  }
  const sharedFetch = new SharedFetch()
  const metrics = new WorkerMetrics(() => pool.channels)
  const pool: WorkerPool = new WorkerPool({
    count: settings.WORKERS,
    fork,
    connect: (channel) => {
      sharedFetch.serve(channel, () => pool.channels)
      metrics.serve(channel)
    },
    onReady: (workerPid) => {
      readyPids.add(workerPid)
      log.info({ workerPid }, 'worker ready')
    },
    onEnd: (channel, { pid: workerPid, code, signal }) => {
      readyPids.delete(workerPid)
      log.error({ workerPid, code, signal }, 'a worker ended and is replaced')
      metrics.keepCounts(channel).catch((err) => log.error({ err }, 'counts were lost'))
    },
  })
  try {
    const address = await pool.start()
    return { ...address, stop: () => pool.stop() }
  } catch (error) {
    await pool.stop()
    throw error
  }
}

/** Settings, of which those whose name ends with `PORT` are ports, and may have a `HOST` of their own. */
type PortSettings = { readonly HOST: string; readonly [name: string]: unknown }

/**
 * Chooses free ports for the settings that are 0, as values of the environment. All workers open the
 * same ones, also a worker that starts after all others have ended.
 *
 * @throws {Error} with Node's `code` when the host is no address of this machine
 */
export async function chooseFreePorts(settings: PortSettings): Promise<Record<string, string>> {
  const names = Object.keys(settings).filter(
    (name) => name.endsWith('PORT') && settings[name] === 0,
  )
  const servers = await Promise.all(
    names.map(async (name) => {
      const host = settings[name.replace('PORT', 'HOST')] ?? settings.HOST
      const server = createServer().listen(0, String(host))
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => String((server.address() as AddressInfo).port))
  // All are open at the same time, so that they differ.
  await Promise.all(
    servers.map(async (server) => {
      const closed = once(server, 'close')
      server.close()
      await closed
    }),
  )
  return Object.fromEntries(names.map((name, index) => [name, ports[index] ?? '']))
}

/** A message of `node:cluster` that hands a new connection to a worker. The worker acknowledges its number. */
type Handover = { readonly act?: string; readonly seq?: number }
type Connection = { readonly close: () => void }

/**
 * Takes back the connections that a worker has not acknowledged when it ends.
 *
 * Without this, `node:cluster` waits for the acknowledgement forever: the primary process keeps the
 * descriptor, and the client never gets an answer. A worker reads from a connection only after its
 * acknowledgement, so another worker can answer the request.
 *
 * @param hasOthers whether another worker accepts connections; without one they are closed
 */
export function takeBackConnections(worker: ChildProcess, hasOthers: () => boolean): void {
  const handed = new Map<number, Connection>()
  const send = worker.send.bind(worker) as (...values: unknown[]) => boolean
  worker.send = (...values: unknown[]) => {
    const [message, connection] = values as [Handover, Connection | undefined]
    if (message.act === 'newconn' && message.seq !== undefined && connection) {
      handed.set(message.seq, connection)
    }
    return send(...values)
  }
  worker.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) handed.delete(ack)
  })
  let isDisconnected = false
  worker.once('disconnect', () => {
    isDisconnected = true
  })
  const takeBack = () => {
    // The channel may contain acknowledgements until its end.
    if (worker.connected) {
      setImmediate(takeBack)
      return
    }
    // Node emits it only after the last acknowledgement. `node:cluster` then removes the worker.
    if (!isDisconnected) worker.emit('disconnect')
    for (const [seq, connection] of [...handed]) {
      // The answer of a worker that stops: the connection goes to another one.
      const refusal = { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }
      if (hasOthers()) worker.emit('internalMessage', refusal)
      else connection.close()
    }
    handed.clear()
  }
  worker.once('exit', takeBack)
}
