const shellSafe = /^[A-Za-z0-9_@%+=:,./-]+$/

/** Quotes text as one word of a shell. */
export const shellQuote = (text: string): string =>
  shellSafe.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
