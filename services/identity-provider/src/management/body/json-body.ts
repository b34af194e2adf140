import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseStrictJson } from '@greeting/guard/strict-json'
import { BodyCutError, BodyTooLargeError, readBody } from '@greeting/http-service'
import { refuse } from '../refusals/graph-error.ts'

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
 * @throws {GraphError} graph_refusal when the body is missing, longer than 1 MiB after decoding, not JSON in UTF-8,
 *   in another content coding than gzip, repeats a name within an object, or has too many values or levels.
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) throw refuse('body_missing')
  const type = request.headers.get('content-type')
  if (!type) throw refuse('content_type_missing')
  if (!jsonType.test(type)) throw refuse('content_type_unsupported')
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

/** A body that is not complete gzip data. */
class BodyUndecodableError extends Error {
  readonly code = 'body_undecodable'
  override readonly name = 'BodyUndecodableError'
}

const decompress = promisify(gunzip)

/**
 * Decodes a body with the content coding gzip (RFC 9110 section 8.4.1.3), up to a limit.
 *
 * @throws {BodyTooLargeError} body_too_large before more than `maxBytes` are decoded.
 * @throws {BodyUndecodableError} body_undecodable when the body is damaged or ends early.
 */
export async function gunzipBody(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLargeError()
    throw new BodyUndecodableError('The body is not gzip data', { cause })
  }
}

type JsonLimits = {
  readonly maxLevels: number
  readonly maxPropertiesOfObject: number
  /** The largest number of properties and entries of arrays in all objects and arrays together. */
  readonly maxValues: number
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Finds the first limit that a JSON text exceeds, in one pass that stops there. It runs before the
 * parser, because building and validating many objects takes far longer than reading their text.
 * The result for a text that is not JSON does not matter, because the parser refuses that text.
 *
 * @returns the name of the limit; undefined when the text exceeds none
 */
export function exceededJsonLimit(
  text: Uint8Array,
  limits: JsonLimits,
): keyof JsonLimits | undefined {
  const { maxLevels, maxPropertiesOfObject, maxValues } = limits
  const propertiesAtLevel = new Uint32Array(maxLevels + 1)
  let level = 0
  // Each array and object has at most one value more than commas.
  let values = 0
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index]
    if (byte === quote) index = endOfString(text, index)
    else if (byte === openBrace || byte === openBracket) {
      level += 1
      values += 1
      if (level > maxLevels) return 'maxLevels'
      propertiesAtLevel[level] = 0
    } else if (byte === closeBrace || byte === closeBracket) level -= 1
    else if (byte === comma) values += 1
    else if (byte === colon) {
      const properties = (propertiesAtLevel[level] ?? 0) + 1
      propertiesAtLevel[level] = properties
      if (properties > maxPropertiesOfObject) return 'maxPropertiesOfObject'
    }
    if (values > maxValues) return 'maxValues'
  }
  return undefined
}

/** The index of the closing quote; the length of the text without one. */
function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== quote) index += text[index] === backslash ? 2 : 1
  return index
}
