/** An error answer of a service: JSON that no cache keeps and no browser reinterprets. */
export type ErrorAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Makes an error answer in the form of RFC 6749 section 5.2.
 *
 * @param error a code in `snake_case`
 * @param description a sentence for the client, without internal details
 */
export function errorAnswer(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  const body = JSON.stringify({ error, error_description: description })
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': `${Buffer.byteLength(body)}`,
      ...headers,
    },
    body,
  }
}

/** Converts an error answer to the response of a `fetch` handler. */
export function errorResponse({ status, headers, body }: ErrorAnswer): Response {
  return new Response(body, { status, headers })
}
