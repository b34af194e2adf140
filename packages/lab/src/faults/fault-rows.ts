import type { FaultKind } from '@greeting/portal'
import { z } from 'zod'
import { type Endpoint, endpoints, type FaultContext } from './fault-context.ts'

/** One fault: its endpoints, its parameters, and how it breaks a response. */
export type FaultRow<At extends Endpoint, Shape extends z.ZodRawShape> = {
  readonly at: readonly At[]
  /** One sentence, for the documents. */
  readonly summary: string
  readonly parameters: z.ZodObject<Shape>
  // A method, so that the parameters of any row fit the type of all rows. `parseFault` has validated them.
  apply(parameters: z.output<z.ZodObject<Shape>>, context: FaultContext): Promise<Response>
}

const row = <const At extends Endpoint, Shape extends z.ZodRawShape>(
  at: readonly At[],
  summary: string,
  shape: Shape,
  apply: FaultRow<At, Shape>['apply'],
): FaultRow<At, Shape> => ({ at, summary, parameters: z.strictObject(shape), apply })

const milliseconds = z.int().min(0).max(60_000)
const retryAfterSeconds = z.int().min(0).max(86_400)
const json = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const retryAfter = (seconds: number | undefined) =>
  seconds === undefined ? undefined : { 'retry-after': `${seconds}` }
const errorBody = ({ endpoint }: FaultContext, error: string, text: string) =>
  JSON.stringify(
    endpoint === 'graph'
      ? { error: { code: error, message: text } }
      : { error, error_description: text },
  )

/** Changes the access token in the answer of the token endpoint. */
async function withToken(
  { answer }: FaultContext,
  change: (token: string) => Promise<string>,
): Promise<Response> {
  const response = await answer()
  if (!response.ok) return response
  const body = (await response.clone().json()) as { access_token: string }
  const changed = JSON.stringify({ ...body, access_token: await change(body.access_token) })
  return withBody(Promise.resolve(response), () => changed)
}

/** All faults. The kit, the HTTP interface and the reference page are generated from this table. */
export const faultRows = {
  status: row(
    endpoints,
    'Answers with an error status.',
    {
      status: z.int().min(400).max(599).default(503),
      retryAfterSeconds: retryAfterSeconds.optional(),
    },
    async ({ status, retryAfterSeconds: seconds }, context) =>
      new Response(errorBody(context, 'server_error', 'A fault of the lab'), {
        status,
        headers: { ...json, ...retryAfter(seconds) },
      }),
  ),
  throttled: row(
    ['token', 'graph'],
    'Answers 429 with `Retry-After`, in the words of the endpoint.',
    { retryAfterSeconds: retryAfterSeconds.default(10) },
    async ({ retryAfterSeconds: seconds }, context) => {
      const text = 'Too many requests'
      const response =
        context.endpoint === 'token'
          ? context.refuse({ reason: 'throttled' })
          : new Response(errorBody(context, 'TooManyRequests', text), {
              status: 429,
              headers: json,
            })
      response.headers.set('retry-after', `${seconds}`)
      return response
    },
  ),
  delay: row(
    endpoints,
    'Waits before the response: `delayMs`, and up to `jitterMs` more.',
    { delayMs: milliseconds, jitterMs: milliseconds.default(0) },
    async ({ delayMs, jitterMs }, { answer, random, sleep }) => {
      await sleep(delayMs + random() * jitterMs)
      return answer()
    },
  ),
  drip: row(
    endpoints,
    'Sends the body in parts of `chunkBytes`, with a pause before each.',
    { chunkBytes: z.int().min(1).max(65_536).default(64), pauseMs: milliseconds.default(100) },
    (parameters, context) => withBody(context.answer(), drip(parameters, context)),
  ),
  reset: row(
    endpoints,
    'Resets the connection without a response.',
    {},
    async (_, { bindings }) => {
      bindings?.incoming?.socket.resetAndDestroy()
      return new Response(null, { status: 499 })
    },
  ),
  cut: row(
    endpoints,
    'Closes the connection within the body, after `afterBytes` bytes.',
    { afterBytes: z.int().min(0).max(65_536).default(16) },
    async ({ afterBytes }, context) => {
      const response = await context.answer()
      const length = `${(await response.clone().arrayBuffer()).byteLength}`
      const broken = await withBody(Promise.resolve(response), cut(afterBytes, context))
      broken.headers.set('content-length', length)
      return broken
    },
  ),
  empty: row(endpoints, 'Answers with the right status and no body.', {}, (_, { answer }) =>
    withBody(answer(), () => ''),
  ),
  malformed: row(endpoints, 'Answers with JSON that lacks its end.', {}, (_, { answer }) =>
    withBody(answer(), (body) => new TextDecoder().decode(body).slice(0, -2)),
  ),
  not_json: row(
    endpoints,
    'Answers 200 with a page in HTML, as a proxy or a captive portal does.',
    {},
    async () =>
      new Response('<!doctype html><title>Sign in to the network</title>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  ),
  content_type: row(
    endpoints,
    'Answers with the right body and another content type.',
    {
      contentType: z
        .enum(['text/plain', 'text/html', 'application/octet-stream'])
        .default('text/plain'),
    },
    async ({ contentType }, { answer }) => {
      const response = await withBody(answer(), (body) => body.slice().buffer)
      response.headers.set('content-type', contentType)
      return response
    },
  ),
  oversized: row(
    endpoints,
    'Adds a member of `bytes` characters to the JSON.',
    {
      bytes: z
        .int()
        .min(1024)
        .max(16 * 1024 * 1024)
        .default(2 * 1024 * 1024),
    },
    ({ bytes }, { answer }) => withBody(answer(), oversized(bytes)),
  ),
  redirect: row(
    endpoints,
    'Redirects to the same path below `/redirected`.',
    { status: z.literal([301, 302, 307, 308]).default(302) },
    async ({ status }, { request }) => {
      const { pathname } = new URL(request.url)
      return new Response(null, { status, headers: { location: `/redirected${pathname}` } })
    },
  ),
  secret_refused: row(
    ['token'],
    'Refuses a correct secret, as a replica does that does not know it yet.',
    {},
    async (_, { clientId = '', refuse }) => refuse({ reason: 'secret_wrong', clientId }),
  ),
  client_unknown: row(
    ['token'],
    'Does not know the client yet: eventual consistency after a registration.',
    {},
    async (_, { clientId = '', refuse }) =>
      refuse({ reason: 'client_unknown', clientId, tenantName: 'Default Directory' }),
  ),
  consent_delayed: row(
    ['token'],
    'Issues a token without roles: eventual consistency after an admin consent.',
    {},
    (_, context) =>
      withToken(context, (token) =>
        context.signAgain(token, ({ roles: _roles, ...claims }) => claims, 'published'),
      ),
  ),
  token_expired: row(['token'], 'Issues a token that expired an hour ago.', {}, (_, context) =>
    withToken(context, (token) =>
      context.signAgain(
        token,
        (claims) => ({ ...claims, exp: Number(claims.exp) - 7200 }),
        'published',
      ),
    ),
  ),
  key_unpublished: row(
    ['token'],
    'Signs the token with a key that is not published yet.',
    {},
    (_, context) =>
      withToken(context, (token) => context.signAgain(token, (claims) => claims, 'unpublished')),
  ),
  key_forgotten: row(
    ['keys'],
    'Publishes all keys but the one that signs: a rotation that forgets a key.',
    {},
    async (_, { activeKeyId, answer }) => {
      const response = await answer()
      const { keys } = (await response.clone().json()) as { keys: readonly { kid: string }[] }
      const left = keys.filter(({ kid }) => kid !== activeKeyId())
      return withBody(Promise.resolve(response), () => JSON.stringify({ keys: left }))
    },
  ),
  keys_empty: row(['keys'], 'Publishes a key set without a key.', {}, (_, { answer }) =>
    withBody(answer(), () => JSON.stringify({ keys: [] })),
  ),
}

/** The name of a fault. */
export type FaultName = keyof typeof faultRows

/** The faults with their parameters, as documents and forms show them. */
export const faultKinds: readonly FaultKind[] = Object.entries(faultRows).map(
  ([name, { at, summary, parameters }]: [string, FaultRow<Endpoint, z.ZodRawShape>]) => ({
    name,
    at,
    summary,
    parameters: parametersOf(parameters),
  }),
)

type Property = {
  readonly default?: string | number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly (string | number)[]
}

function parametersOf(schema: z.ZodObject): FaultKind['parameters'] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties as Readonly<Record<string, Property>>).map(
    ([name, { default: initial, enum: choices, minimum, maximum }]) => ({
      name,
      initial,
      choices,
      minimum,
      maximum,
      isRequired: required.includes(name),
    }),
  )
}

/** The server's response with another body. Its length follows the new body. */
async function withBody(
  answer: Promise<Response>,
  change: (body: Uint8Array) => BodyInit,
): Promise<Response> {
  const response = await answer
  const { status } = response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(change(new Uint8Array(await response.arrayBuffer())), { status, headers })
}

/** Sends the body in small parts, with a pause before each part. */
const drip =
  ({ chunkBytes, pauseMs }: { chunkBytes: number; pauseMs: number }, { sleep }: FaultContext) =>
  (body: Uint8Array): ReadableStream<Uint8Array> => {
    let sent = 0
    return new ReadableStream({
      pull: async (controller) => {
        await sleep(pauseMs)
        if (sent >= body.byteLength) return controller.close()
        controller.enqueue(body.slice(sent, sent + chunkBytes))
        sent += chunkBytes
      },
    })
  }

/** Time for the first bytes to leave before the connection ends, in milliseconds. */
const flushMs = 10

/** Sends the first bytes of the body, and then closes the connection. */
const cut =
  (afterBytes: number, { bindings, sleep }: FaultContext) =>
  (body: Uint8Array): ReadableStream<Uint8Array> => {
    let isSent = false
    return new ReadableStream({
      pull: async (controller) => {
        if (!isSent) {
          isSent = true
          return controller.enqueue(body.slice(0, Math.min(afterBytes, body.byteLength - 1)))
        }
        await sleep(flushMs)
        bindings?.incoming?.socket.destroy()
        controller.close()
      },
    })
  }

/** A JSON object that is larger than its reader should accept. */
function oversized(bytes: number) {
  return (body: Uint8Array): string => {
    const text = new TextDecoder().decode(body)
    return `{"padding":"${'x'.repeat(bytes)}",${text.slice(text.indexOf('{') + 1)}`
  }
}
