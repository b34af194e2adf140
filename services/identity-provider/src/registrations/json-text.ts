const utf8 = new TextDecoder('utf-8', { fatal: true })
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs

// Each is told with its place, which may be long.
const mostRepeated = 20

type Open = { readonly names: Set<string> | undefined; step: string | number }

/**
 * The text of a JSON file. A byte order mark is no part of it (RFC 8259 section 8.1).
 *
 * @throws {TypeError} when the bytes are not UTF-8.
 */
export const jsonText = (bytes: Uint8Array): string => utf8.decode(bytes)

/**
 * The places of members whose name their object has had already; `JSON.parse` keeps the last of them
 * without a word (RFC 8259 section 4).
 *
 * @param text A text that `JSON.parse` takes.
 */
export function repeatedMembers(text: string): (string | number)[][] {
  const repeated: (string | number)[][] = []
  const open: Open[] = []
  let isName = false
  for (const [found] of text.matchAll(token)) {
    const inner = open.at(-1)
    if (found === '{' || found === '[') {
      open.push({ names: found === '{' ? new Set() : undefined, step: 0 })
      isName = found === '{'
    } else if (found === '}' || found === ']') {
      open.pop()
      isName = false
    } else if (found === ',') {
      if (typeof inner?.step === 'number') inner.step += 1
      isName = inner?.names !== undefined
    } else if (isName && inner?.names) {
      const name: string = JSON.parse(found)
      inner.step = name
      if (inner.names.has(name)) repeated.push(open.map(({ step }) => step))
      if (repeated.length === mostRepeated) return repeated
      inner.names.add(name)
      isName = false
    }
  }
  return repeated
}
