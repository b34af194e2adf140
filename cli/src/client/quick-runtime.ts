import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Runtime } from '@greeting/client'
import type { Settings } from '../files/env-file.ts'

/** Header fields without the class of `fetch`, which costs a start more than the request. */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string>()

  constructor(init: HeadersInit = {}) {
    const isList = Symbol.iterator in init
    for (const [name, value] of isList
      ? (init as Iterable<[string, string]>)
      : Object.entries(init))
      this.append(name, value)
  }

  append(name: string, value: string): void {
    const before = this.get(name)
    this.set(name, before === null ? value : `${before}, ${value}`)
  }

  delete = (name: string): void => void this.#values.delete(name.toLowerCase())
  get = (name: string): string | null => this.#values.get(name.toLowerCase()) ?? null
  getSetCookie = (): string[] => []
  has = (name: string): boolean => this.#values.has(name.toLowerCase())
  set = (name: string, value: string): void =>
    void this.#values.set(name.toLowerCase(), value.trim())
  forEach(visit: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this.#values) visit(value, name, this)
  }

  entries = (): MapIterator<[string, string]> => this.#values.entries()
  keys = (): MapIterator<string> => this.#values.keys()
  values = (): MapIterator<string> => this.#values.values();
  [Symbol.iterator] = this.entries
}

type Request = (
  url: string,
  options: RequestOptions,
  callback: (answer: IncomingMessage) => void,
) => ClientRequest

/**
 * The parts of the client's runtime for one greeting. They use `node:http`, because the first use of
 * `fetch` takes more CPU time than the rest of a job with a cached token.
 *
 * @returns nothing for a process whose `fetch` uses the proxies of its environment
 */
export function quickRuntime(environment: Settings): Partial<Runtime> {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = environment
  if (NODE_USE_ENV_PROXY || NODE_OPTIONS.includes('--use-env-proxy')) return {}
  return { fetch: quickFetch, createHeaders: (init) => new PlainHeaders(init) }
}

/** Sends a GET request without a body. Redirects are answers. Everything else is for `fetch`. */
async function quickFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const url = String(input)
  if ((init.method ?? 'GET') !== 'GET' || init.body) return fetch(input, init)
  const signal = init.signal ?? undefined
  const headers = new PlainHeaders(init.headers)
  const answer = await send(url, headers, signal).catch((cause) => {
    throw signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause })
  })
  if (answer.headers['content-encoding'] !== undefined) {
    answer.destroy()
    return fetch(input, init)
  }
  // The client of the greetings reads these three members only.
  return {
    status: answer.statusCode ?? 0,
    headers: new PlainHeaders(pairsOf(answer.rawHeaders)),
    body: bodyOf(answer, signal),
  } as unknown as Response
}

function send(url: string, headers: Headers, signal?: AbortSignal): Promise<IncomingMessage> {
  const { protocol } = new URL(url)
  // An import statement would read every export of `node:http`, and one of them loads `fetch`.
  const request: Request = process.getBuiltinModule(
    protocol === 'https:' ? 'node:https' : 'node:http',
  ).request
  return new Promise((resolve, reject) => {
    const fields = {
      'user-agent': 'node',
      'accept-encoding': 'identity',
      ...Object.fromEntries(headers),
    }
    request(url, { headers: fields, ...(signal && { signal }) }, resolve)
      .on('error', reject)
      .end()
  })
}

/** The fields of an answer, in pairs. */
function pairsOf(list: readonly string[]): [string, string][] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : []))
}

function bodyOf(answer: IncomingMessage, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const chunks = answer[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next().catch((error) => {
        throw signal?.aborted ? signal.reason : error
      })
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void answer.destroy(),
  })
}
