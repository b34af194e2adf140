/** Letters and digits of any script, with the combining marks after them. */
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

export const wordsOf = (text: string): readonly string[] => text.match(word) ?? []

/** The first letter and the first two letters of each word of a text, in lower case. */
export const wordStarts = (text: string): readonly string[] => [
  ...new Set(
    wordsOf(text.toLowerCase()).flatMap((word) => {
      const [first = '', second = ''] = word
      return [first, first + second]
    }),
  ),
]
