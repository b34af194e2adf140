import { once } from 'node:events'
import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { type LogEvent, type LogExportOptions, openLogSender } from '@greeting/tracing'
import type { AuditSink } from './audit-outlet.ts'
import { type ExportedRecord, linesOf, membersOf } from './exported-record.ts'

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

/** Sends records as events to an OpenTelemetry collector. */
export function otlpSink(options: LogExportOptions): AuditSink {
  let opening: ReturnType<typeof openLogSender> | undefined
  return {
    send: async (records) => {
      opening ??= openLogSender(options)
      const { rejected } = await (await opening).send(records.map(eventOf))
      return rejected
    },
    close: async () => (await opening)?.close(),
  }
}

/** The event of a record: its members are attributes such as `greeting.tenant_id`. */
function eventOf(exported: ExportedRecord): LogEvent {
  const { at, action, outcome } = exported.record
  const attributes = Object.entries(membersOf(exported)).flatMap(([member, value]) =>
    member === 'at' || value === null ? [] : [[attributeOf(member), value] as const],
  )
  return {
    at,
    name: `greeting.${action}`,
    isWarning: outcome === 'refused',
    attributes: Object.fromEntries(attributes),
  }
}

const attributeOf = (member: string) =>
  `greeting.${member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

const newline = 10

/**
 * Appends lines to a file. When the file is renamed or removed, as by logrotate, the next batch creates a
 * new one. It writes only to regular files, because a pipe without a reader would block a Node thread.
 */
export function fileSink(path: string): AuditSink {
  let file: FileHandle | undefined
  const close = async () => {
    const closing = file
    file = undefined
    await closing?.close()
  }
  const currentFile = async (): Promise<{ handle: FileHandle; before: string }> => {
    const named = await stat(path).catch(noneWhenAbsent)
    if (named?.isFile() === false) throw new Error(`${path} is not a regular file`)
    const opened = await file?.stat()
    if (file && named?.ino === opened?.ino && named?.dev === opened?.dev)
      return { handle: file, before: '' }
    await close()
    file = await open(path, 'a+', 0o600)
    return { handle: file, before: (await endsWithin(file, named?.size ?? 0)) ? '\n' : '' }
  }
  return {
    send: async (records) => {
      try {
        const { handle, before } = await currentFile()
        await handle.appendFile(before + linesOf(records))
        return 0
      } catch (cause) {
        // It is opened again: a full disk leaves a part of a line.
        await close().catch(() => undefined)
        throw cause
      }
    },
    close,
  }
}

/** Whether a file ends within a line, after a crash or on a full disk. */
async function endsWithin(file: FileHandle, size: number): Promise<boolean> {
  const last = new Uint8Array(1)
  const { bytesRead } = await file.read(last, 0, 1, Math.max(0, size - 1))
  return bytesRead === 1 && last[0] !== newline
}

function noneWhenAbsent(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause
}
