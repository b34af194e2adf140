/** A member of an object in a JSON text. */
type JsonMember = {
  readonly name: string
  /** Whether an earlier member of its object has the same name. */
  readonly isRepeated: boolean
  /** Offset of its name in the text. */
  readonly start: number
  /** Offset after the punctuation before its name: `{` or `,`. */
  readonly leadStart: number
  /** Number of objects and lists around it. */
  readonly depth: number
  /** Its path from the root. Valid only until the next member is read. */
  readonly path: () => (string | number)[]
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs

type Open = { readonly names: Set<string> | undefined; step: string | number }

/**
 * The members of all objects of a JSON text in order, with repeated members.
 *
 * @param text a text that `JSON.parse` accepts
 */
export function* jsonMembers(text: string): Generator<JsonMember> {
  const open: Open[] = []
  const path = () => open.map(({ step }) => step)
  let isName = false
  let leadStart = 0
  for (const { 0: found, index: start } of text.matchAll(token)) {
    const inner = open.at(-1)
    if (found === '{' || found === '[') {
      open.push({ names: found === '{' ? new Set() : undefined, step: 0 })
      isName = found === '{'
      leadStart = start + 1
    } else if (found === '}' || found === ']') {
      open.pop()
      isName = false
    } else if (found === ',') {
      if (typeof inner?.step === 'number') inner.step += 1
      isName = inner?.names !== undefined
      leadStart = start + 1
    } else if (isName && inner?.names) {
      const name: string = JSON.parse(found)
      const isRepeated = inner.names.has(name)
      inner.names.add(name)
      inner.step = name
      isName = false
      yield { name, isRepeated, start, leadStart, depth: open.length, path }
    }
  }
}
