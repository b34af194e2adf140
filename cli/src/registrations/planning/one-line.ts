/** A text with names that others chose, as one line: it cannot add lines of its own to a plan. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\n\t]/g, (found) => (found === '\n' ? '\\u000a' : '\\u0009'))
