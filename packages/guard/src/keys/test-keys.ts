const prefixCharacters = 43

/**
 * The first 258 bits of the moduli of the keys in `@greeting/testing`, in base64url. Their private keys
 * are public, so a token of theirs proves nothing.
 */
const moduli: ReadonlySet<string> = new Set([
  'umnOq4nIzIwtNUW6SaNrPQaivHbH7Y5vwL_NZNXkU0S',
  '10o9CpJ0uY31kdUVWH678fuXdEuOEJ5yObhFRv_8l-m',
  'rqHJ1D8zYS7LwzjJXY54UQWydXlVivsQsE5qfkLLZF9',
  'um0lqR2uWdlWDgXC0OvnDzce3OOjsrNRhGX-JonSRKc',
  'tBCnNim6BKnS1M4_dAg_peyeNznGF11E__2hJ-Z5ApY',
  'kyQlxfyM6wKtWUxe_6jImcSXbaZiMzkQYsAut7L62Yc',
  'lv0fTtrm8JH4GQkwfDsQ-bPcYlemq5tfLKLIyJA6jjK',
  'sZsPQs_RDneH4E7zaIjjLks3noUMn7l79eBiD2SbK92',
])

/** True if a modulus, in base64url, belongs to a public test key. */
export const isTestKey = (modulus: unknown): boolean =>
  typeof modulus === 'string' && moduli.has(modulus.slice(0, prefixCharacters))
