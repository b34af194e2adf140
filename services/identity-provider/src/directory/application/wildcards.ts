/**
 * Whether a pattern matches a whole text. `*` stands for any characters, or for none, and `?` for
 * exactly one. The time is at most proportional to the product of both lengths.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return first.length === text.length && isAt(first, text, 0)
  const end = text.length - last.length
  if (!isAt(first, text, 0) || end < first.length || !isAt(last, text, end)) return false
  // Each part at its first place leaves the most text for the next parts.
  let from = first.length
  for (const part of rest) {
    while (from + part.length <= end && !isAt(part, text, from)) from += 1
    from += part.length
    if (from > end) return false
  }
  return true
}

/** Whether a part without `*` matches the text at a place. */
function isAt(part: string, text: string, at: number): boolean {
  if (at + part.length > text.length) return false
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== '?' && part[index] !== text[at + index]) return false
  }
  return true
}
