/** A member of an object in a JSON text. */
export type JsonMember = {
  /** The place of its object, from the root: names and indexes. */
  readonly path: readonly (string | number)[]
  readonly name: string
  /** Offset of its name in the text. */
  readonly start: number
  /** Offset of the first character after the punctuation before its name: `{` or `,`. */
  readonly leadStart: number
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs
const opening = new Set(['{', '['])
const closing = new Set(['}', ']'])

type Open = { readonly isObject: boolean; step: string | number }

/**
 * The members of all objects in a text, in their order, repeated ones too.
 *
 * @param text A text that `JSON.parse` takes.
 */
export function jsonMembers(text: string): JsonMember[] {
  const members: JsonMember[] = []
  const open: Open[] = []
  let isName = false
  let leadStart = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    const inner = open.at(-1)
    if (opening.has(found)) {
      open.push({ isObject: found === '{', step: 0 })
      isName = found === '{'
      leadStart = index + 1
    } else if (closing.has(found)) {
      open.pop()
      isName = false
    } else if (found === ',') {
      if (inner && typeof inner.step === 'number') inner.step += 1
      isName = inner?.isObject === true
      leadStart = index + 1
    } else if (isName && inner) {
      const name: string = JSON.parse(found)
      const path = open.slice(0, -1).map(({ step }) => step)
      members.push({ path, name, start: index, leadStart })
      inner.step = name
      isName = false
    }
  }
  return members
}
