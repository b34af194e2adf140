type Rule = { readonly isKept: (text: string) => boolean; readonly message: string }

const rules: readonly Rule[] = [
  // A lone surrogate has no bytes in UTF-8.
  { isKept: (text) => text.isWellFormed(), message: 'must not contain half a surrogate pair' },
  // PostgreSQL keeps no NUL, and what is shown in a terminal would act there.
  {
    isKept: (text) => !/\p{Cc}/u.test(text),
    message: 'must not contain control characters',
  },
]

/** What keeps a text from being kept by every store, and shown, byte for byte; nothing when it can. */
export const storableTextIssues = (text: string): string[] =>
  rules.filter(({ isKept }) => !isKept(text)).map(({ message }) => message)
