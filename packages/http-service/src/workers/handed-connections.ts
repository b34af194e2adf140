import type { ChildProcess } from 'node:child_process'

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
