import type { Channel } from './channel.ts'

type SharedRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> }
type SharedResponse = {
  readonly status: number
  readonly contentType: string | null
  readonly body: Uint8Array
}

const topic = 'shared_fetch'
const fetchedTopic = 'shared_fetch_done'
/** Responses are shared for this long. It equals the time between two attempts of one guard. */
const sharedForMs = 30_000
const timeoutMs = 60_000
const maxBytes = 1_000_000

/**
 * Fetches for all workers, in the primary process. Workers that ask for one URL at the same time, or
 * within 30 s after a good response, share one request.
 */
export class SharedFetch {
  readonly #fetch: typeof fetch
  readonly #monotonicNowMs: () => number
  readonly #latest = new Map<string, { readonly atMs: number; readonly response: SharedResponse }>()
  readonly #running = new Map<string, Promise<SharedResponse>>()

  constructor(fetchOne: typeof fetch = fetch, monotonicNowMs = () => performance.now()) {
    this.#fetch = fetchOne
    this.#monotonicNowMs = monotonicNowMs
  }

  /**
   * Answers the requests of a worker. After each good response, it notifies the other
   * workers, which then fetch too.
   *
   * @param channels the channels of all workers
   */
  serve(channel: Channel, channels: () => readonly Channel[]): void {
    channel.handle(topic, (body) => this.#answer(body as SharedRequest, channel, channels))
  }

  #answer(
    request: SharedRequest,
    asking: Channel,
    channels: () => readonly Channel[],
  ): SharedResponse | Promise<SharedResponse> {
    const { url } = request
    const latest = this.#latest.get(url)
    if (latest !== undefined && this.#monotonicNowMs() - latest.atMs < sharedForMs) {
      return latest.response
    }
    const running = this.#running.get(url)
    if (running !== undefined) return running
    const started = this.#request(request).finally(() => this.#running.delete(url))
    this.#running.set(url, started)
    return started.then((response) => {
      if (response.status === 200) {
        this.#latest.set(url, { atMs: this.#monotonicNowMs(), response })
        for (const channel of channels()) if (channel !== asking) channel.tell(fetchedTopic)
      }
      return response
    })
  }

  async #request({ url, headers }: SharedRequest): Promise<SharedResponse> {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await this.#fetch(url, { headers, redirect: 'manual', signal })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength
      if (size > maxBytes) throw new Error(`the response is above ${maxBytes} B`)
      chunks.push(chunk)
    }
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: Buffer.concat(chunks),
    }
  }
}

/** The statuses whose responses cannot have a body (Fetch standard section 2.2.6). */
const statusesWithoutBody: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/** A `fetch` for a worker: the primary process makes the request. Only URL, headers and signal count. */
export const fetchThrough =
  (channel: Channel): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const question: SharedRequest = {
      url: request.url,
      headers: Object.fromEntries(request.headers),
    }
    const { status, contentType, body } = (await channel.ask(
      topic,
      question,
      timeoutMs,
    )) as SharedResponse
    const content = statusesWithoutBody.has(status) ? null : Buffer.from(body)
    return new Response(content, {
      status,
      headers: contentType === null ? {} : { 'content-type': contentType },
    })
  }

/** Calls a function when the primary process has fetched for another worker. */
export const onSharedFetch = (channel: Channel, callback: () => void): void =>
  channel.handle(fetchedTopic, callback)
