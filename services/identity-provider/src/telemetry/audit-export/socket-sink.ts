import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { AuditSink } from './audit-outlet.ts'
import { linesOf } from './exported-record.ts'

/** Opens a connection, and returns the event after which it can be written to. */
export type Connect = () => { readonly socket: Socket; readonly ready: 'connect' | 'secureConnect' }

/**
 * Sends lines over a connection, which the first record opens. Only data that the system has
 * accepted leaves the queue, so a slow reader slows the queue and not the server.
 *
 * @param idleMs ends a connection over which nothing goes while a batch waits; default 10 s
 */
export function socketSink(connect: Connect, idleMs = 10_000): AuditSink {
  let connected: Socket | undefined
  const connection = async (): Promise<Socket> => {
    if (connected?.writable) return connected
    const { socket, ready } = connect()
    connected = socket
    socket.unref().resume()
    socket.on('error', () => undefined)
    socket.on('timeout', () => socket.destroy(new Error('The reader takes nothing')))
    socket.setTimeout(idleMs)
    await once(socket, ready)
    return socket
  }
  return {
    send: async (records) => {
      const socket = await connection()
      socket.setTimeout(idleMs)
      await new Promise<void>((resolve, reject) => {
        const end = (error?: Error | null) => (error ? reject(socket.errored ?? error) : resolve())
        socket.write(linesOf(records), end)
      })
      socket.setTimeout(0)
      return 0
    },
    close: async () => {
      connected?.destroy(new Error('The server stops'))
    },
  }
}
