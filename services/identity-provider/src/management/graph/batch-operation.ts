import { bodyCollection, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../body/parse-body.ts'
import {
  type AnswerWithBody,
  type BatchCall,
  type BatchOperation,
  operation,
  type RequestCall,
} from '../operations/operation.ts'
import { withoutTenant } from '../operations/operation-path.ts'
import { anyClient } from '../privileges/graph-roles.ts'
import { errorEnvelope, type GraphError, refuse } from '../refusals/graph-error.ts'
import { refusalRow } from '../refusals/refusals.ts'

/** The operation that runs several requests. Each is an operation with separate roles, transaction and audit record. */
export const batchOperations: readonly BatchOperation[] = [
  operation('POST /$batch', anyClient, {
    summary: 'Sends up to 20 requests. Each needs its own roles.',
    batch,
  }),
]

const maxRequests = 20
const maxPartsAtOnce = 4
/** The answers of one batch are in memory together. */
const maxAnswerBytes = 16 * 1024 * 1024
/** The headers that an operation reads. Any other has no effect on the part. */
const forwardedHeaders = new Set([
  'client-request-id',
  'consistencylevel',
  'content-type',
  'if-match',
  'prefer',
])

const maxHeaders = 50
const maxHeaderLength = 4096

const isHeaderValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxHeaderLength && !/[^ -~]/.test(value)

const headers = z.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length <= maxHeaders &&
    Object.values(value).every(isHeaderValue),
  `must hold at most ${maxHeaders} texts in ASCII`,
)

const part = z.strictObject({
  id: text(100),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  url: text(16_384),
  headers: headers.nullish(),
  body: z.unknown().optional(),
  dependsOn: bodyCollection(text(100), maxRequests).nullish(),
})
type Part = z.output<typeof part>
const batchBody = z.strictObject({ requests: bodyCollection(part, maxRequests) })

type PartAnswer = {
  readonly id: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The answers to the requests that were begun, by ID in lower case, in the order of the batch. */
type Answers = Map<string, Promise<PartAnswer>>

/**
 * Sends the requests of a batch, up to four at a time. One with `dependsOn` waits for those that it names.
 * A batch that is not valid as a whole is refused before any of its requests is sent.
 *
 * @see https://learn.microsoft.com/graph/json-batching
 */
async function batch(call: BatchCall): Promise<AnswerWithBody> {
  const { requests } = parseBatch(call.body)
  const answers: Answers = new Map()
  let bytes = 0
  const send = async (part: Part): Promise<PartAnswer> => {
    const failed = await failedDependency(part, answers)
    if (failed !== undefined) return partRefusal(part.id, refuse('dependency_failed', failed), call)
    if (bytes > maxAnswerBytes) {
      const refusal = refuse('batch_answer_too_large', String(maxAnswerBytes))
      return partRefusal(part.id, refusal, call)
    }
    const { answer, size } = await answerOf(call, part)
    bytes += size
    return answer
  }
  const waiting = requests.values()
  const sendWaiting = async () => {
    for (const part of waiting) {
      const answer = send(part)
      answers.set(part.id.toLowerCase(), answer)
      await answer
    }
  }
  await Promise.all(Array.from({ length: maxPartsAtOnce }, sendWaiting))
  return { status: 200, body: { responses: await Promise.all(answers.values()) } }
}

function parseBatch(body: unknown): z.output<typeof batchBody> {
  const { requests } = Object(body)
  if (Array.isArray(requests) && requests.length > maxRequests)
    throw refuse('batch_too_long', String(maxRequests))
  const parsed = parseBody(batchBody, body, 'body')
  const known = new Set<string>()
  for (const { id, body, dependsOn, headers, method, url } of parsed.requests) {
    const key = id.toLowerCase()
    if (known.has(key))
      throw refuse('batch_invalid', `Invalid batch: two requests have the id '${id}'.`)
    const unknown = dependsOn?.find((other) => !known.has(other.toLowerCase()))
    if (unknown !== undefined)
      throw refuse('batch_invalid', `Invalid dependency for request Id '${id}': '${unknown}'.`)
    if (isBatch(url))
      throw refuse('batch_invalid', `Invalid batch: request '${id}' is a batch itself.`)
    const hasType = Object.keys(headers ?? {}).some((name) => /^content-type$/i.test(name))
    // Graph's two sentences (entra E375).
    if ((method === 'POST' || method === 'PATCH') && !hasType)
      throw refuse(
        'batch_invalid',
        body === undefined
          ? `Write request id : ${id} does not contain Content-Type header or body.`
          : `Write request with id '${id}' does not contain a Content-Type header.`,
      )
    known.add(key)
  }
  return parsed
}

const pathOf = (url: string): string => `/${url.replace(/^\/+/, '')}`

function isBatch(url: string): boolean {
  const [path = ''] = pathOf(url).split('?')
  return withoutTenant(path).replaceAll('%24', '$$').toLowerCase().startsWith('/$batch')
}

/** The first request of `dependsOn` that did not succeed. All of them come before this one. */
async function failedDependency(
  { dependsOn }: Part,
  answers: Answers,
): Promise<string | undefined> {
  for (const id of dependsOn ?? []) {
    const answer = await answers.get(id.toLowerCase())
    if (answer === undefined || answer.status >= 400) return id
  }
  return undefined
}

async function answerOf(
  call: BatchCall,
  { id, method, url, headers, body }: Part,
): Promise<{ readonly answer: PartAnswer; readonly size: number }> {
  const forwarded = Object.entries(headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => forwardedHeaders.has(name))
  const response = await call.send({
    method,
    path: pathOf(url),
    headers: Object.fromEntries(forwarded),
    body: method === 'GET' || body === undefined ? undefined : JSON.stringify(body),
  })
  const content = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const answer = {
    id,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    ...(content === '' ? {} : { body: isJson ? JSON.parse(content) : content }),
  }
  return { answer, size: content.length }
}

/** The response to a request in a batch that was not sent. */
export const partRefusal = (
  id: string,
  refusal: GraphError,
  { correlationId, runtime }: RequestCall,
) => ({
  id,
  status: refusalRow(refusal.refusal).status,
  headers: { 'content-type': 'application/json' },
  body: errorEnvelope(refusal, {
    requestId: runtime.newGuid(),
    clientRequestId: correlationId,
    at: runtime.now(),
  }),
})
