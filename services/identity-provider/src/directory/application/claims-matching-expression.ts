import { matchesWildcards } from './wildcards.ts'

/** One comparison of an expression: `claims['sub'] eq '...'`. */
export type ClaimComparison = {
  readonly claim: string
  readonly operator: 'eq' | 'matches'
  /** The compared text. For `matches`, `*` stands for any characters and `?` for one. */
  readonly comparand: string
}

/** Entra ID limits a subject to this length. Longer claims match nothing. */
const maxLength = 600
const comparison = /claims\['(\w{1,100})'\] (eq|matches) '((?:[^']|'')*)'/y
const conjunction = ' and '

/**
 * Parses a claims matching expression: comparisons that ` and ` joins. A quote within a text is doubled.
 *
 * @returns the comparisons; undefined when the text has another form, or compares a claim twice
 * @see https://learn.microsoft.com/entra/workload-id/workload-identities-flexible-federated-identity-credentials
 */
export function parseClaimsMatchingExpression(text: string): ClaimComparison[] | undefined {
  if (text.length > maxLength) return undefined
  const comparisons: ClaimComparison[] = []
  for (let at = 0; ; at += conjunction.length) {
    comparison.lastIndex = at
    const [match, claim, operator, comparand] = comparison.exec(text) ?? []
    if (match === undefined || claim === undefined || comparand === undefined) return undefined
    if (comparisons.some((one) => one.claim === claim)) return undefined
    comparisons.push({
      claim,
      operator: operator === 'eq' ? 'eq' : 'matches',
      comparand: comparand.replaceAll("''", "'"),
    })
    at += match.length
    if (at === text.length) return comparisons
    if (!text.startsWith(conjunction, at)) return undefined
  }
}

/** Whether the claims of a token match all comparisons. A claim that is no text matches nothing. */
export const matchesClaims = (
  comparisons: readonly ClaimComparison[],
  claims: Readonly<Record<string, unknown>>,
): boolean =>
  comparisons.every(({ claim, operator, comparand }) => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
    if (typeof value !== 'string' || value.length > maxLength) return false
    return operator === 'eq' ? value === comparand : matchesWildcards(comparand, value)
  })
