// What moves the cursor, changes colours, turns text round or cannot be seen.
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

const escaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * A text of a stranger, safe to show on a terminal: what would steer it is written as JSON writes
 * it, so that JSON stays the JSON that it is.
 */
export const visibleText = (text: string): string => text.replace(unsafeCharacters, escaped)

const keptInLines = new Set(['\n', '\t'])

/** The same for a text of several lines: the ends of lines and tabs stay. */
export const visibleLines = (text: string): string =>
  text.replace(unsafeCharacters, (found) => (keptInLines.has(found) ? found : escaped(found)))
