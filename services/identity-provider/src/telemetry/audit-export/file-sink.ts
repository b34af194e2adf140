import { type FileHandle, open, stat } from 'node:fs/promises'
import type { AuditSink } from './audit-outlet.ts'
import { linesOf } from './exported-record.ts'

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
