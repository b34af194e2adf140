import { parseStrictJson } from '@greeting/guard/strict-json'
import { BodyCutError, BodyTooLargeError, readBody } from '@greeting/http-service'
import { refuse } from '../refusals/graph-error.ts'
import { BodyUndecodableError, gunzipBody } from './gunzip-body.ts'
import { exceededJsonLimit, type JsonLimits } from './json-limits.ts'

const maxBytes = 1024 * 1024
/** No body of a client has as many. Each value is examined several times. */
const jsonLimits: JsonLimits = {
  maxLevels: 32,
  maxPropertiesOfObject: 100,
  maxValues: 20_000,
}
const limitSentences: Readonly<Record<keyof JsonLimits, string>> = {
  maxLevels: `The body must not have more than ${jsonLimits.maxLevels} levels.`,
  maxPropertiesOfObject: `An object of the body must not have more than ${jsonLimits.maxPropertiesOfObject} properties.`,
  maxValues: `The body must not have more than ${jsonLimits.maxValues} properties and entries of arrays in all.`,
}
// Parameters are ignored: RFC 8259 section 11 defines none for this type.
const jsonType = /^application\/json[\t ]*(?:;|$)/i

type Decode = (bytes: Uint8Array, maxBytes: number) => Uint8Array | Promise<Uint8Array>

/** The content codings of a request (RFC 9110 section 8.4.1). The Graph SDK for Go sends gzip. */
const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipBody],
])

/**
 * Reads the JSON body of a request.
 *
 * @throws {GraphError} graph_refusal when the body is missing, longer than 1 MiB after decoding, not
 *   JSON in UTF-8, in another content coding than gzip, repeats a name within an object, or has too
 *   many values or levels.
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) throw refuse('body_missing')
  if (!jsonType.test(request.headers.get('content-type') ?? '')) {
    throw refuse('content_type_unsupported')
  }
  const exceeded = exceededJsonLimit(bytes, jsonLimits)
  if (exceeded !== undefined) throw refuse('body_invalid', limitSentences[exceeded])
  const value = parseStrictJson(bytes)
  // JSON.parse would silently use the last of several members with one name.
  if (value === undefined) throw refuse(isJson(bytes) ? 'body_ambiguous' : 'body_malformed')
  return value
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const coding = request.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  const decode = decoders.get(coding)
  if (decode === undefined) throw refuse('content_coding_unsupported')
  try {
    return await decode(await readBody(request, maxBytes), maxBytes)
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw refuse('body_too_large', String(maxBytes))
    if (error instanceof BodyCutError) throw refuse('body_cut')
    if (error instanceof BodyUndecodableError) throw refuse('body_undecodable')
    throw error
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}
