const utf8 = new TextDecoder()

/** A path that every reader divides alike. */
const plain = /^(?:\/[\w-]+(?:\.[\w-]+)*)*\/?$/

/**
 * True for the prefix itself, and for a target that a router, a file system, a proxy or a URL
 * parser may resolve to a path at or below the prefix. Readers may divide a path differently, so
 * the segments of the prefix need only occur in their order.
 *
 * @param prefix a path, in which a segment with a pattern stands for any segments
 * @param target the path or URL of the request, with or without its query
 */
export function mayBeBelow(prefix: string, target: string): boolean {
  const [path = ''] = target.split('?', 1)
  const isPlain = plain.test(path)
  if (isPlain && plain.test(prefix)) {
    return `${path}/`.toLowerCase().startsWith(`${prefix}/`.toLowerCase())
  }
  const text = decoded(path)
  // It is encoded too often for a client, or as only some readers read it.
  if (text === undefined) return true
  const segments = segmentsOf(text)
  // A scheme or a second slash begins a host, and two dots remove segments.
  let isAnywhere =
    !text.startsWith(`/${segments[0] ?? ''}`) || segments.some((one) => one.startsWith('..'))
  let next = 0
  for (const wanted of segmentsOf(decoded(prefix) ?? prefix)) {
    if (isPlain && /^:\w+$/.test(wanted)) {
      if (next++ >= segments.length) return false
    } else if (/[:*{}()[\]+^$|]/.test(wanted)) isAnywhere = true
    else {
      const found = segments.findIndex((one, index) => index >= next && isSpelling(one, wanted))
      if (found < 0 || (found > next && !isAnywhere)) return false
      next = found + 1
    }
  }
  return true
}

/** A NUL, where some readers end, `%u` of `unescape`, and UTF-8 that is longer than necessary. */
const ambiguous = /\0|%u[\da-f]{4}|%c[01]|%e0%[89]|%f0%8/i

/** As the reader that decodes most, and as a file system that folds case and ignores what is not seen. */
function decoded(text: string, times = 5): string | undefined {
  if (ambiguous.test(text)) return undefined
  const once = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    utf8.decode(Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))),
  )
  if (once !== text) return times === 0 ? undefined : decoded(once, times - 1)
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase()
  return folded.replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}\ufffd]/gu, '')
}

/** Divided by all that a reader may take for a separator, without the segments that mean nothing. */
const segmentsOf = (text: string) =>
  text.split(/[/\\?#]/).filter((segment) => !/^\.? *(?:;|$)/.test(segment))

/**
 * True also with parameters (`;v=1`), and with what Windows removes: dots, spaces and streams. Its short
 * names have some characters of the name, and the first one always: `admini~1`, `ad4f2c~1`.
 */
const isSpelling = (segment: string, wanted: string) =>
  segment.startsWith(wanted)
    ? /^(?:;|:[:$]|[. ]*$)/.test(segment.slice(wanted.length))
    : /^[^~]{1,6}~\d/.test(segment) && segment[0] === wanted.replace(/^[. ]+/, '')[0]
