// Control characters, formats (directions, widths of zero), halves of pairs, private use, separators.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** A text that may come from a stranger, with what would steer a terminal written as JSON escapes. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (found) =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
