import { ClientError, tokenTooLargeRemedy } from '../errors.ts'
import { readBoundedText, UnusableBodyError } from '../http/bounded-body.ts'
import { httpsRequired, readableMessage } from '../network-fault.ts'
import { redirectStatuses, transientStatuses } from './api-call.ts'
import { apiUnreachableError } from './api-errors.ts'

/** A complete response of an API. */
export type ApiAnswer = {
  readonly status: number
  readonly headers: Headers
  /** The body as text. The token is replaced if the API repeats it. */
  readonly body: string
}

/** A response, and the request that it answers, such as `GET https://api.example/orders`. */
export type AskedAnswer = ApiAnswer & { readonly asked: string; readonly type: string }

/** Reads a response body up to a size in bytes, after decompression. */
export const readAnswer =
  (maxBytes: number) =>
  async (
    response: Response,
    withoutToken: (text: string) => string,
    asked: string,
  ): Promise<AskedAnswer> => {
    const { status, headers } = response
    const type = withoutToken(headers.get('content-type') ?? '').slice(0, 100)
    try {
      const body = withoutToken(await readBoundedText(response, maxBytes))
      return { status, headers, body, asked, type }
    } catch (error) {
      if (!(error instanceof UnusableBodyError)) throw error
      throw unusable({ status, asked }, error.message)
    }
  }

type Asked = Pick<AskedAnswer, 'status' | 'asked'>

/** Creates the error for a response in an unexpected format. */
export function unusable({ status, asked }: Asked, problem: string, remedy?: string): ClientError {
  const message = `The response of the API to ${asked} cannot be used: ${problem}`
  return new ClientError('api_answer_invalid', message, { status }, { remedy })
}

/** What to do about a status; other ones have the remedy of their code. */
const remedies: Readonly<Record<number, string>> = {
  404: 'Check the path, and whether the base URL of the API has a prefix.',
  405: 'Check the method and the path.',
  // RFC 6585 section 5: nothing else in the request is large.
  431: tokenTooLargeRemedy,
}

/**
 * Returns a successful response.
 *
 * @throws {ClientError} request_refused, api_unreachable or api_answer_invalid, with the reason of the API.
 */
export function accepted(answer: AskedAnswer): AskedAnswer {
  const { status, asked } = answer
  if (redirectStatuses.has(status)) throw unusable(answer, 'it is a redirect to another URL')
  if (status < 400) return answer
  const url = new URL(asked.slice(asked.indexOf(' ') + 1))
  const wrongScheme = httpsRequired(status, answer.body, url)
  if (wrongScheme) throw apiUnreachableError(wrongScheme, '', 1, url)
  const { graphError, text = /html|^$/.test(answer.type) ? '' : answer.body } = reasonOf(
    answer.body,
  )
  const shown = readableMessage(text).slice(0, maxReasonCharacters) || 'it gives no reason'
  const reason = `(HTTP status ${status}): ${shown}`
  if (transientStatuses.has(status)) {
    const message = `The API could not answer ${asked} ${reason}`
    throw new ClientError('api_unreachable', message, { status, attempts: 1 })
  }
  if (status < 500) {
    const message = `The API refused ${asked} ${reason}`
    const details = { status, ...(graphError && { graphError }) }
    throw new ClientError('request_refused', message, details, { remedy: remedies[status] })
  }
  throw unusable(
    answer,
    `it is an error ${reason}`,
    'Look for the error in the log of the API, then try again.',
  )
}

const maxReasonCharacters = 200

// RFC 6749 section 5.2, RFC 9457 section 3.1, and what frameworks write.
const reasonMembers = ['error_description', 'detail', 'message', 'title', 'error'] as const

function reasonOf(body: string): { text?: string; graphError?: string } {
  try {
    const json = Object(JSON.parse(body))
    const { code, message } = Object(json.error)
    const isGraph = typeof code === 'string' && /^\w{1,100}$/.test(code)
    if (isGraph) return { text: `${code}: ${message}`, graphError: code }
    const values = reasonMembers.map((name): unknown => json[name])
    const text = values.find((value) => typeof value === 'string' && value !== '')
    return typeof text === 'string' ? { text } : {}
  } catch {
    return {}
  }
}
