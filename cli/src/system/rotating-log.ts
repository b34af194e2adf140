import { type FileHandle, open, rename } from 'node:fs/promises'
import { Writable } from 'node:stream'

/** The two files of a log. */
export type LogFiles = {
  readonly path: string
  /** Where the part before is kept; a part before that is overwritten. */
  readonly previousPath: string
}

export type RotatingLogOptions = LogFiles & {
  /** Size from which on a new part begins, in bytes. */
  readonly maxBytes: number
}

/**
 * A log in two parts of bounded size: the current one and the previous one.
 *
 * It never fails: text that the disk does not take is dropped, and the next is tried again.
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
      // The bound comes before the text: a part that cannot be kept is emptied.
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
