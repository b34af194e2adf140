import { type ApiAnswer, accepted, readAnswer, unusable } from './api-answer.ts'
import { type CallInit, type FetchWithTokenOptions, fetchWithToken } from './fetch-with-token.ts'

// More than a report of a job. `fetchWithToken` gives the response to those who read more.
const maxAnswerBytes = 10_485_760

/** The options of `createApiClient`. */
export type ApiClientOptions = FetchWithTokenOptions

/** The options of one request. */
export type ApiRequest = Omit<CallInit, 'read' | 'method'> & {
  /** The body, which is sent as JSON; in place of `body`. */
  readonly json?: unknown
}

/** A response that arrives later. It rejects with a `ClientError` if the API does not respond with 2xx. */
export type PendingAnswer = Promise<ApiAnswer> & {
  /** The body as JSON. It rejects with `api_answer_invalid` if the body is not JSON. */
  readonly json: <Value = unknown>() => Promise<Value>
  readonly text: () => Promise<string>
}

type Send = (path: string | URL, request?: ApiRequest) => PendingAnswer

/** Calls an API. Each method sends its request immediately. */
export type ApiClient = {
  readonly get: Send
  readonly post: Send
  readonly put: Send
  readonly patch: Send
  readonly delete: Send
  /** Sends a request with any method. */
  readonly request: (method: string, ...rest: Parameters<Send>) => PendingAnswer
}

/**
 * Creates a client of one API that resolves with data, and rejects with a `ClientError` in every
 * other case, including 403 and 404. It retries as `fetchWithToken` does, and reads up to 10 MiB.
 *
 * @throws {TypeError} lists every invalid option
 * @example
 * const api = createApiClient({ baseUrl: 'https://api.example', tokens })
 * const orders = await api.get('/api/v1/orders', { role: 'ReadOrders' }).text()
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const call = fetchWithToken(options)
  const read = readAnswer(maxAnswerBytes)

  const request: ApiClient['request'] = (method, path, { json, ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('accept')) headers.set('accept', 'application/json, */*;q=0.9')
    if (json !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json')
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = call(path, { ...init, ...body, method, headers, read }).then(accepted)
    return Object.assign(answer, {
      text: async () => (await answer).body,
      json: async () => {
        const { status, asked, type, body } = await answer
        try {
          return JSON.parse(body)
        } catch {
          const what = body === '' ? 'it has no body' : `it is not JSON, but ${type || 'no type'}`
          throw unusable({ status, asked }, `${what} (HTTP status ${status})`)
        }
      },
    })
  }
  const send =
    (method: string): Send =>
    (...rest) =>
      request(method, ...rest)
  return {
    get: send('GET'),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
    request,
  }
}
