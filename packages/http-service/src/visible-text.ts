// Control and format characters, surrogates, private use, and line and paragraph separators.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** Writes the characters that could control a terminal as JSON escapes. */
export const visibleText = (text: string): string =>
  text.replace(invisible, (match) =>
    Array.from(
      { length: match.length },
      (_, index) => `\\u${match.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
