/** Path and query. Node refuses a header of more than 16 KB. */
const maxTargetCharacters = 8192

/** A path of RFC 3986 section 3.3, without `;`: some servers cut a segment there. */
const plainPath = /^\/(?:[\w\-.~!$&'()*+,=:@/]|%[\da-f]{2})*$/i

const plainQuery = /^[\x21-\x22\x24-\x7e]*$/

/**
 * Escapes that servers read differently: of unreserved characters, which need none (RFC 3986 section
 * 2.3), of controls, of delimiters, and of an escape.
 */
const ambiguousEscape =
  /%(?:[01][\da-f]|7f|2[3def]|3[\dbf]|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\dae]|25[\da-f]{2})/i

/**
 * Splits the path of a target into decoded segments. A path that two servers could read differently has
 * none, because the API may be another server than this one.
 *
 * @param target path and query, at most 8192 characters
 * @returns undefined for an ambiguous path: an escape that hides a character, an empty or dot segment, a
 *   backslash, `;`, a control or another character that must be escaped, invalid UTF-8, an absolute form
 * @example
 * pathSegments('/orders/caf%C3%A9?page=2') // ['orders', 'café']
 */
export function pathSegments(target: string): readonly string[] | undefined {
  if (target.length > maxTargetCharacters) return undefined
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (!plainPath.test(path) || (query !== -1 && !plainQuery.test(target.slice(query))))
    return undefined
  const raw = path.slice(1).split('/')
  for (const [index, segment] of raw.entries()) {
    const isLast = index === raw.length - 1
    if ((segment === '' && !isLast) || segment === '.' || segment === '..') return undefined
  }
  if (!path.includes('%')) return raw
  if (ambiguousEscape.test(path)) return undefined
  try {
    return raw.map(decodeURIComponent)
  } catch {
    // Invalid UTF-8.
    return undefined
  }
}
