const replacement = '[redacted]'
const deepestCause = 5
// Shorter strings would also be found where they are not meant.
const shortestSecret = 4

/** Text of others without the secrets that it may echo, in any encoding that a request gave them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue
    const form = new URLSearchParams({ secret }).toString().slice('secret='.length)
    for (const spelling of [secret, encodeURIComponent(secret), form]) {
      clean = clean.replaceAll(spelling, replacement)
    }
  }
  return clean
}

/**
 * A copy of a foreign error that is safe to keep as a `cause`: its name, message and code, and
 * nothing of the request, the response or the headers that a library may have hung onto it.
 */
export function safeCause(error: unknown, secrets: readonly string[], depth = 1): Error {
  if (!(error instanceof Error)) return new Error(withoutSecrets(String(error), secrets))
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined)
  const copy = new Error(
    withoutSecrets(error.message, secrets),
    inner === undefined || depth === deepestCause
      ? undefined
      : { cause: safeCause(inner, secrets, depth + 1) },
  )
  copy.name = error.name
  // The stack of the original begins with its message, so only the copy's own may stay.
  delete copy.stack
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy
}
