// Folder: Readers that refuse what two parsers could read differently.

/** Far more than tokens and key sets need. It bounds the recursion of this reader. */
const maxDepth = 32

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON strictly. Returns undefined for malformed UTF-8, a byte order mark, malformed JSON,
 * more than 32 levels or `maxMembers`, or a repeated member name in any object.
 *
 * @param maxMembers the members of all objects together, counted before parsing; default: any number
 * @see RFC 8259 section 4, RFC 7515 section 4, RFC 8725 section 3.7
 * @example
 * parseStrictJson(new TextEncoder().encode('{"aud":"a","aud":"b"}')) // undefined
 */
export function parseStrictJson(bytes: Uint8Array, maxMembers = Number.POSITIVE_INFINITY): unknown {
  try {
    const text = utf8.decode(bytes)
    // Before parsing, because the value of a deep text is many times its size.
    const source = measure(text)
    if (source.depth > maxDepth || source.members > maxMembers) return undefined
    const value: unknown = JSON.parse(text)
    // `JSON.parse` keeps only the last of repeated members, so the numbers differ.
    return countMembers(value) === source.members ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * True for a JSON object. False for an array, a scalar or null.
 * @example
 * isJsonObject(['a']) // false
 */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item)
    return members
  }
  // Objects of `JSON.parse` inherit no enumerable member, and this loop allocates nothing.
  for (const name in value) members += 1 + countMembers(value[name as keyof typeof value])
  return members
}

/** The number of members and the depth of a text, if it is JSON. */
function measure(text: string): { members: number; depth: number } {
  let members = 0
  let depth = 0
  let maximum = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === colon) members += 1
    else if (code === openBracket || code === openBrace) {
      depth += 1
      if (depth > maximum) maximum = depth
    } else if (code === closeBracket || code === closeBrace) depth -= 1
  }
  return { members, depth: maximum }
}

/** The end of the string that starts here, or the end of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, quoteIndex: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(quoteIndex - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}
