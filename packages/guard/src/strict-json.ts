/** Nesting that no token and no key set needs; a reader that recurses must stop somewhere. */
const deepestNesting = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The value that the bytes write as JSON; undefined when they are not well-formed UTF-8, carry a
 * byte order mark, are not JSON, nest deeper than 32 levels or repeat a member name in any object.
 *
 * @see RFC 8259 section 4, RFC 7515 section 4, RFC 8725 section 3.7
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    // Of repeated members `JSON.parse` keeps the last, so fewer members are kept than were written.
    return membersKept(value, 0) === membersWritten(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** True for a JSON object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function membersKept(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === deepestNesting) return Number.NaN
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += membersKept(item, depth + 1)
    return members
  }
  // What JSON.parse makes inherits no member; counting this way allocates nothing.
  for (const name in value) members += 1 + membersKept(value[name as keyof typeof value], depth + 1)
  return members
}

/** Counts the strings that a colon follows. The text is known to be JSON. */
function membersWritten(text: string): number {
  let members = 0
  let open = text.indexOf('"')
  while (open !== -1) {
    let close = text.indexOf('"', open + 1)
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1)
    let next = close + 1
    while (isWhitespace(text.charCodeAt(next))) next += 1
    if (text.charCodeAt(next) === 0x3a) members += 1
    open = text.indexOf('"', next)
  }
  return members
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}
