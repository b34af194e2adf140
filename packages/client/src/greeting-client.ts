// Folder: A token is an opaque string for a client, so it shares no code with the identity provider.

import { type FetchWithTokenOptions, fetchWithToken } from './call/fetch-with-token.ts'
import { ClientError, tokenTooLargeRemedy } from './errors.ts'
import { readBoundedText, UnusableBodyError } from './http/bounded-body.ts'

// A name may be long, but servers limit the request line to some kilobytes.
const maxAnswerBytes = 65_536
const maxDescriptionCharacters = 200

/** The options of `createGreetingClient`. */
export type GreetingClientOptions = FetchWithTokenOptions

/** The options of one call. */
export type CallOptions = {
  /** Ends the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Calls the greeting API. Each method rejects with a `ClientError`. */
export type GreetingClient = {
  /** `GET /api/v1/hi`; requires the application role `CallHiApiRole`. */
  readonly hi: (options?: CallOptions) => Promise<string>
  /** `GET /api/v1/hello?name=...`; requires the application role `CallHelloApiRole`. */
  readonly hello: (name: string, options?: CallOptions) => Promise<string>
}

function descriptionOf(body: string, withoutToken: (text: string) => string): string {
  try {
    const description: unknown = JSON.parse(body)?.error_description
    if (typeof description !== 'string') return ''
    return withoutToken(description).slice(0, maxDescriptionCharacters)
  } catch {
    return ''
  }
}

async function readBody(response: Response): Promise<string> {
  try {
    return await readBoundedText(response, maxAnswerBytes)
  } catch (cause) {
    if (!(cause instanceof UnusableBodyError)) throw cause
    const message = `The answer of the API cannot be used: ${cause.message}`
    throw new ClientError('api_answer_invalid', message, { status: response.status })
  }
}

/**
 * Creates a client of the greeting API.
 *
 * @throws {TypeError} lists every invalid option
 * @example
 * const greetings = createGreetingClient({ baseUrl: 'http://127.0.0.1:3000', tokens })
 * const greeting = await greetings.hello('Ada')
 */
export function createGreetingClient(options: GreetingClientOptions): GreetingClient {
  const call = fetchWithToken(options)

  async function greet(path: string, role: string, signal?: AbortSignal): Promise<string> {
    const { status, type, body, description } = await call(path, {
      role,
      ...(signal && { signal }),
      headers: { accept: 'text/plain, application/json' },
      read: async (response, withoutToken) => {
        const body = await readBody(response)
        return {
          status: response.status,
          type: withoutToken(response.headers.get('content-type') ?? ''),
          body,
          description: descriptionOf(body, withoutToken),
        }
      },
    })
    if (status === 200 && type.startsWith('text/plain')) return body
    if (status >= 400 && status < 500) {
      const reason = description || 'it gives no reason'
      const message = `The API refused the request (HTTP status ${status}): ${reason}`
      // RFC 6585 section 5: nothing else in the request is large.
      const remedy = status === 431 ? tokenTooLargeRemedy : undefined
      throw new ClientError('request_refused', message, { status }, { remedy })
    }
    const message = `The answer of the API is no greeting (HTTP status ${status}, ${type || 'no type'})`
    throw new ClientError('api_answer_invalid', message, { status })
  }

  return {
    hi: ({ signal } = {}) => greet('/api/v1/hi', 'CallHiApiRole', signal),
    hello: (name, { signal } = {}) =>
      greet(`/api/v1/hello?${new URLSearchParams({ name })}`, 'CallHelloApiRole', signal),
  }
}
