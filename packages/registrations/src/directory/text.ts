/** Converts untrusted text to one line, so that it cannot add lines to a plan. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\n\t]/g, (found) => (found === '\n' ? '\\u000a' : '\\u0009'))

/** A date in UTC, for people. */
export const day = (date: Date): string => date.toISOString().slice(0, 10)
