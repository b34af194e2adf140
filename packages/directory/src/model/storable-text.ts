type Rule = { readonly isValid: (text: string) => boolean; readonly message: string }

const rules: readonly Rule[] = [
  // A lone surrogate has no bytes in UTF-8.
  { isValid: (text) => text.isWellFormed(), message: 'must not contain half a surrogate pair' },
  // PostgreSQL stores no NUL, and a terminal would execute control characters.
  {
    isValid: (text) => !/\p{Cc}/u.test(text),
    message: 'must not contain control characters',
  },
]

/** The reasons why a text cannot be stored unchanged or printed safely; empty if there are none. */
export const storableTextIssues = (text: string): string[] =>
  rules.filter(({ isValid }) => !isValid(text)).map(({ message }) => message)
