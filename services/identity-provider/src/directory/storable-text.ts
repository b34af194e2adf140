type Rule = { readonly isKept: (text: string) => boolean; readonly message: string }

const rules: readonly Rule[] = [
  // A lone surrogate has no bytes in UTF-8.
  { isKept: (text) => text.isWellFormed(), message: 'must not contain half a surrogate pair' },
  // PostgreSQL stores no NUL, and a terminal would execute control characters.
  {
    isKept: (text) => !/\p{Cc}/u.test(text),
    message: 'must not contain control characters',
  },
]

/** The reasons why a text cannot be stored unchanged or printed safely. Empty when it can. */
export const storableTextIssues = (text: string): string[] =>
  rules.filter(({ isKept }) => !isKept(text)).map(({ message }) => message)
