import type { GuardedHandler } from '@greeting/guard/hono'

/** One greeting: the row that the routes, the API description and the start page are made from. */
type Greeting = {
  /** The last part of the path, and the operation ID. */
  readonly name: string
  /** The value of the app role that a caller needs. */
  readonly role: string
  readonly summary: string
  /** Required query parameters by name: a sentence and an example. */
  readonly parameters: Readonly<Record<string, { readonly text: string; readonly example: string }>>
  /** The response to the examples of all parameters. */
  readonly example: string
  readonly handler: GuardedHandler<string>
}

const headers = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** The error of a request in which the parameter of a greeting is missing or repeated. */
export const nameError = {
  error: 'invalid_request',
  error_description: 'The query parameter name must occur exactly once',
} as const

const hi: GuardedHandler<string> = () => new Response('Hi', { headers })

const hello: GuardedHandler<string> = (c) => {
  const [name, ...others] = new URL(c.req.url).searchParams.getAll('name')
  if (name === undefined || others.length > 0) {
    return new Response(JSON.stringify(nameError), {
      status: 400,
      headers: { ...headers, 'content-type': 'application/json' },
    })
  }
  return new Response(`Hello, ${name}`, { headers })
}

/** The greetings of the API, each with its own app role. */
export const greetings = [
  { name: 'hi', role: 'CallHiApiRole', summary: 'Hi', parameters: {}, example: 'Hi', handler: hi },
  {
    name: 'hello',
    role: 'CallHelloApiRole',
    summary: 'Hello, by name',
    parameters: {
      name: {
        text: 'Must occur exactly once; may be empty. The response contains it unchanged.',
        example: 'Ada',
      },
    },
    example: 'Hello, Ada',
    handler: hello,
  },
] as const satisfies readonly Greeting[]

/** An app role of the API. */
export type Role = (typeof greetings)[number]['role']

/** The app roles of the API, as its registration declares them. */
export const roles: readonly Role[] = greetings.map(({ role }) => role)

/** The route of each greeting, below the prefix of the API. */
export const greetingRoutes = Object.fromEntries(
  greetings.map(({ name, role, handler }) => [`GET /${name}`, { role, handler }]),
)

/** The path of a greeting, with a text for each of its parameters. */
export function pathOf(
  { name, parameters }: Greeting,
  textOf: (parameter: string, example: string) => string,
): string {
  const query = Object.entries(parameters).map(
    ([parameter, { example }]) => `${parameter}=${textOf(parameter, example)}`,
  )
  return `/api/v1/${name}${query.length > 0 ? `?${query.join('&')}` : ''}`
}
