import { parseStrictJson } from '@greeting/guard/strict-json'
import { GraphError, refuse } from './graph-error.ts'

const maxBytes = 1024 * 1024
/** No object here has as many; each would be looked at several times. */
const maxProperties = 100
// The parameters are not looked at: RFC 8259 gives the type none.
const jsonType = /^application\/json[\t ]*(?:;|$)/i

/**
 * Reads the JSON of a request.
 *
 * @throws {GraphError} graph_refusal when there is none, it is longer than 1 MiB, it is no JSON in
 *   UTF-8, it repeats a name within an object, or it has too many properties.
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) throw refuse('body_missing')
  if (!jsonType.test(request.headers.get('content-type') ?? ''))
    throw refuse('content_type_unsupported')
  const value = parseStrictJson(bytes)
  // Of repeated members JSON.parse would keep the last, and say nothing.
  if (value === undefined) throw refuse(isJson(bytes) ? 'body_ambiguous' : 'body_malformed')
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    if (Object.keys(value).length > maxProperties)
      throw refuse('body_invalid', `The body must not have more than ${maxProperties} properties.`)
  return value
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

async function readBytes({ body }: Request): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      // Counted as it comes: what a client declares of its length is no proof.
      if (length > maxBytes) throw refuse('body_too_large', String(maxBytes))
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof GraphError ? cause : refuse('body_cut')
  }
  return Buffer.concat(chunks)
}
