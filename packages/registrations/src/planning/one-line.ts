/** Untrusted text as one line, so that it cannot add lines to a plan. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\n\t]/g, (found) => (found === '\n' ? '\\u000a' : '\\u0009'))
