import { type FileHandle, open, rename } from 'node:fs/promises'
import { Writable } from 'node:stream'

export type LogFiles = {
  readonly path: string
  /** File of the previous part. Each rotation overwrites it. */
  readonly previousPath: string
}

export type RotatingLogOptions = LogFiles & {
  /** Size that starts a new part, in bytes. */
  readonly maxBytes: number
}

/**
 * A log in two parts of bounded size, the current and the previous one.
 *
 * A write never fails: if the disk refuses text, the text is dropped, and the next write is
 * attempted.
 */
export class RotatingLog extends Writable {
  readonly #options: RotatingLogOptions
  #file: FileHandle | undefined
  #bytes = 0

  constructor(options: RotatingLogOptions) {
    super()
    this.#options = options
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#append(chunk).then(done, () => done())
  }

  override _final(done: () => void): void {
    this.#close().then(done, () => done())
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#bytes > 0 && this.#bytes + chunk.length > this.#options.maxBytes) await this.#rotate()
    const file = await this.#open()
    const { bytesWritten } = await file.write(chunk)
    this.#bytes += bytesWritten
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file
    this.#file = await open(this.#options.path, 'a', 0o600)
    this.#bytes = (await this.#file.stat()).size
    return this.#file
  }

  async #rotate(): Promise<void> {
    const { path, previousPath } = this.#options
    try {
      await this.#close()
      await rename(path, previousPath)
    } catch {
      // The size limit is more important than the text: if the rotation fails, the part is emptied.
      await (await this.#open()).truncate()
    }
    this.#bytes = 0
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}
