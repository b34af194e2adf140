/** A body above the limit of its reader. */
export class BodyTooLargeError extends Error {
  readonly code = 'body_too_large'
  override readonly name = 'BodyTooLargeError'
}

/** A body whose sender closed the connection, or violated HTTP, before the end. */
export class BodyCutError extends Error {
  readonly code = 'body_cut'
  override readonly name = 'BodyCutError'
}

/**
 * Reads the whole body of a request, up to a limit. A request without a body has no bytes.
 *
 * @param headerOf Reads a header by its name in lower case. A handler passes its own when that is
 *   cheaper than the `Headers` of the request.
 * @throws {BodyTooLargeError} body_too_large before more than `maxBytes` are stored, also for a
 *   wrong or missing length.
 * @throws {BodyCutError} body_cut when the body ends early.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  headerOf: (name: string) => string | undefined = (name) => request.headers.get(name) ?? undefined,
): Promise<Uint8Array> {
  const length = headerOf('content-length')
  const hasLength = length !== undefined && headerOf('transfer-encoding') === undefined
  if (hasLength && !(Number(length) <= maxBytes)) throw new BodyTooLargeError()
  try {
    // The server enforces the declared length, so no count is needed.
    if (hasLength) return new Uint8Array(await request.arrayBuffer())
    return request.body === null ? new Uint8Array() : await collect(request.body, maxBytes)
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw cause
    throw new BodyCutError('The body is incomplete', { cause })
  }
}

async function collect(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const reader = body.getReader()
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(parts)
    bytes += value.byteLength
    if (bytes > maxBytes) {
      // Not awaited: when the request was cloned, it waits until the other copy is read or cancelled.
      void reader.cancel().catch(() => undefined)
      throw new BodyTooLargeError()
    }
    parts.push(value)
  }
}

/** The names and values of a form, or the reason why it cannot be read. */
export type FormPairs<Value> =
  | readonly (readonly [string, Value])[]
  | 'too_many_parameters'
  | 'parameter_malformed'

/**
 * Reads the pairs of `application/x-www-form-urlencoded` in linear time, and no more than `maxPairs`.
 * `URLSearchParams` takes quadratic time for pairs without `=`.
 */
export function readPairs(body: string, maxPairs: number): FormPairs<string> {
  const pairs: [string, string][] = []
  for (let start = 0, end = 0; start < body.length; start = end + 1) {
    end = body.indexOf('&', start)
    if (end < 0) end = body.length
    if (end === start) continue
    if (pairs.length === maxPairs) return 'too_many_parameters'
    const pair = body.slice(start, end)
    const equals = pair.indexOf('=')
    const name = percentDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : percentDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return 'parameter_malformed'
    pairs.push([name, value])
  }
  return pairs
}

/** Decodes one percent-encoded name or value; undefined when it is malformed. */
export function percentDecode(encoded: string): string | undefined {
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const boundaryForm = /^boundary="?([\w'()+,./:=?-]{1,70})"?$/i

/** The boundary of a content type `multipart/form-data`; undefined for any other type, or without one. */
export function boundaryOf(contentType: string): string | undefined {
  const [type = '', ...parameters] = contentType.split(';', 5).map((one) => one.trim())
  if (type.toLowerCase() !== 'multipart/form-data') return undefined
  return parameters.map((one) => boundaryForm.exec(one)?.[1]).find((one) => one !== undefined)
}

/**
 * Reads the parts of `multipart/form-data`, and no more than `maxParts`. A part with a file name is a file.
 *
 * @see RFC 7578
 */
export async function readParts(
  body: Uint8Array,
  boundary: string,
  maxParts: number,
): Promise<FormPairs<string | File>> {
  const bytes = Buffer.from(body)
  // Counted before the parts are parsed: there is one delimiter more than parts.
  let at = bytes.indexOf(`--${boundary}`)
  for (let count = 0; at >= 0 && count <= maxParts; count += 1)
    at = bytes.indexOf(`--${boundary}`, at + 1)
  if (at >= 0) return 'too_many_parameters'
  // The parser of the platform refuses shorter boundaries. Perl sends five characters.
  const padded = boundary.padEnd(27, '-')
  const text = `\r\n${bytes.toString('latin1')}`.replaceAll(`\r\n--${boundary}`, `\r\n--${padded}`)
  const headers = { 'content-type': `multipart/form-data; boundary="${padded}"` }
  return new Response(Buffer.from(text.slice(2), 'latin1'), { headers }).formData().then(
    (form) => [...form],
    () => 'parameter_malformed',
  )
}
