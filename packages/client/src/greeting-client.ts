// Folder: A token is an opaque string for a client, so it shares no code with the identity provider.

import { accepted, readAnswer, unusable } from './call/api-answer.ts'
import { type FetchWithTokenOptions, fetchWithToken } from './call/fetch-with-token.ts'

// A name may be long, but servers limit the request line to some kilobytes.
const maxAnswerBytes = 65_536

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

type Greeting = {
  /** The application role that it requires. */
  readonly role: string
  /** The names of its query parameters, in the order of the arguments. */
  readonly parameters: readonly string[]
}

/** The greetings of the API, from which this client and the command are made. */
export const greetings: Readonly<Record<keyof GreetingClient, Greeting>> = {
  hi: { role: 'CallHiApiRole', parameters: [] },
  hello: { role: 'CallHelloApiRole', parameters: ['name'] },
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
    const answer = await call(path, {
      role,
      ...(signal && { signal }),
      headers: { accept: 'text/plain, application/json' },
      read: readAnswer(maxAnswerBytes),
    })
    const { status, type, body } = accepted(answer)
    if (status === 200 && type.startsWith('text/plain')) return body
    throw unusable(answer, `it is no greeting (HTTP status ${status}, ${type || 'no type'})`)
  }

  const methods = Object.entries(greetings).map(([name, { role, parameters }]) => [
    name,
    (...args: readonly unknown[]) => {
      const { signal } = (args[parameters.length] ?? {}) as CallOptions
      const query = new URLSearchParams(parameters.map((one, at) => [one, String(args[at])]))
      return greet(`/api/v1/${name}${query.size > 0 ? `?${query}` : ''}`, role, signal)
    },
  ])
  return Object.fromEntries(methods) as GreetingClient
}
