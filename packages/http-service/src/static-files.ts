import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'

/** A file that a page loads. The repository keeps a large one as `.gz`. */
export type StaticFile = { readonly url: URL; readonly type: string }

type Loaded = {
  readonly bytes: Buffer<ArrayBuffer>
  readonly version: string
  zipped?: Promise<Buffer<ArrayBuffer>>
}

const zip = promisify<Buffer, Buffer<ArrayBuffer>>(gzip)
const versionLength = 12

/** The files that pages load, such as style sheets. A file is read at its first use, and kept. */
export class StaticFiles {
  readonly #folder: string
  readonly #files: ReadonlyMap<string, StaticFile>
  readonly #loaded = new Map<string, Loaded>()

  /**
   * @param folder the path below which the files are served, such as `/static`
   * @param files the files by their names
   */
  constructor(folder: string, files: Readonly<Record<string, StaticFile>>) {
    this.#folder = folder
    this.#files = new Map(Object.entries(files))
  }

  /** The path of a file. It changes with the content, so browsers may keep the file. */
  path(name: string): string {
    return `${this.#folder}/${name}?v=${this.#load(name)?.version ?? ''}`
  }

  /**
   * Answers a request for a file.
   *
   * @param acceptEncoding the header field `Accept-Encoding` of the request
   * @returns the response; undefined when there is no file of this name
   */
  async answer(name: string, acceptEncoding: string | undefined): Promise<Response | undefined> {
    const file = this.#load(name)
    if (file === undefined) return undefined
    const isZipped = acceptEncoding?.includes('gzip') ?? false
    if (isZipped) file.zipped ??= zip(file.bytes)
    return new Response(isZipped ? await file.zipped : file.bytes, {
      headers: {
        'content-type': this.#files.get(name)?.type ?? 'application/octet-stream',
        ...(isZipped && { 'content-encoding': 'gzip' }),
        vary: 'accept-encoding',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      },
    })
  }

  #load(name: string): Loaded | undefined {
    const known = this.#loaded.get(name)
    const file = this.#files.get(name)
    if (known !== undefined || file === undefined) return known
    const stored = readFileSync(fileURLToPath(file.url))
    const bytes = file.url.pathname.endsWith('.gz') ? gunzipSync(stored) : stored
    const digest = createHash('sha256').update(bytes).digest('base64url')
    const one = { bytes, version: digest.slice(0, versionLength) }
    this.#loaded.set(name, one)
    return one
  }
}
