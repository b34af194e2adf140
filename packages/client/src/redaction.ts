import { readableMessage } from './network-fault.ts'

const replacement = '[redacted]'
const maxCauses = 5
// A shorter secret would match words of other texts, such as "wrong".
const minSecretCharacters = 8

/** Removes secrets from a text that this library did not write, in every encoding that a request uses. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < minSecretCharacters) continue
    const form = new URLSearchParams({ secret }).toString().slice('secret='.length)
    for (const spelling of [secret, encodeURIComponent(secret), form])
      clean = clean.replaceAll(spelling, replacement)
  }
  return clean
}

/**
 * Copies the name, message and code of an error from another library, so that it is safe as a `cause`. Libraries
 * attach the request, the response or headers to errors, and these are not copied.
 */
export function safeCause(error: unknown, secrets: readonly string[], depth = 1): Error {
  if (!(error instanceof Error)) return new Error(withoutSecrets(String(error), secrets))
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined)
  const copy = new Error(
    readableMessage(withoutSecrets(error.message, secrets)),
    inner === undefined || depth === maxCauses
      ? undefined
      : { cause: safeCause(inner, secrets, depth + 1) },
  )
  copy.name = error.name
  // The stack contains the message, which may contain a secret.
  delete copy.stack
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy
}
