/** Nesting that no token and no key set needs; a reader that recurses must stop somewhere. */
const deepestNesting = 32

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

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
    // Before it is unfolded: a deep text makes a value many times its size.
    const written = outlineOf(text)
    if (written.depth > deepestNesting) return undefined
    const value: unknown = JSON.parse(text)
    // Of repeated members `JSON.parse` keeps the last, so fewer members are kept than were written.
    return membersKept(value) === written.members ? value : undefined
  } catch {
    return undefined
  }
}

/** True for a JSON object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function membersKept(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += membersKept(item)
    return members
  }
  // What JSON.parse makes inherits no member; counting this way allocates nothing.
  for (const name in value) members += 1 + membersKept(value[name as keyof typeof value])
  return members
}

/** How many members a text writes and how deep it nests, should it be JSON. */
function outlineOf(text: string): { members: number; depth: number } {
  let members = 0
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === colon) members += 1
    else if (code === openBracket || code === openBrace) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === closeBracket || code === closeBrace) depth -= 1
  }
  return { members, depth: deepest }
}

/** Where the string ends that begins here; the end of the text when it has no end. */
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
