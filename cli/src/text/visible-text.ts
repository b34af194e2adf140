// Folder: Texts for a terminal.

// Characters that move the cursor, change colours, reverse the text direction or are invisible.
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

const escaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * Escapes control characters of untrusted text as JSON does. The result is safe on a terminal, and
 * JSON remains the same JSON.
 */
export const visibleText = (text: string): string => text.replace(unsafeCharacters, escaped)

const keptInLines = new Set(['\n', '\t'])

/** The same for text of several lines: line ends and tabs stay. */
export const visibleLines = (text: string): string =>
  text.replace(unsafeCharacters, (found) => (keptInLines.has(found) ? found : escaped(found)))

/** The words in lines that end before a column, each below the first one. A longer word stays whole. */
export function wrapped(
  words: readonly string[],
  indent: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const lines: string[] = []
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && indent + line.length <= columns) lines[lines.length - 1] = line
    else lines.push(word.trimStart())
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Columns below a header row. Each column is as wide as its widest cell. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  )
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

const shellSafe = /^[A-Za-z0-9_@%+=:,./-]+$/

const windowsSafe = /^[A-Za-z0-9_:.+\\/-]+$/
// One of PowerShell and cmd obeys them also between double quotes. No quoting suits both.
const obeyedInQuotes = /["\u201c-\u201e$`%!]/g

/** Quotes text as one word of a shell. On Windows, what no quotes can hold becomes a question mark. */
export function shellQuote(text: string, platform: string = process.platform): string {
  if (platform === 'win32')
    return windowsSafe.test(text) ? text : `"${text.replace(obeyedInQuotes, '?')}"`
  return shellSafe.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The warning about a file with a secret that other users can read. */
export const readableWarning = (path: string): string =>
  `Warning: other users can read ${path}, which contains a secret. Run: chmod 600 ${shellQuote(path)}\n`
