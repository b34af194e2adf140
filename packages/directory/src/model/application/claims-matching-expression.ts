/** One comparison of an expression: `claims['sub'] eq '...'`. */
type ClaimComparison = {
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

/** True if the claims of a token match all comparisons. A claim that is not a text matches nothing. */
export const matchesClaims = (
  comparisons: readonly ClaimComparison[],
  claims: Readonly<Record<string, unknown>>,
): boolean =>
  comparisons.every(({ claim, operator, comparand }) => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
    if (typeof value !== 'string' || value.length > maxLength) return false
    return operator === 'eq' ? value === comparand : matchesWildcards(comparand, value)
  })

/**
 * True if a pattern matches a whole text. `*` stands for any characters or none, and `?` for
 * exactly one. The time is at most proportional to the product of both lengths.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return first.length === text.length && isAt(first, text, 0)
  const end = text.length - last.length
  if (!isAt(first, text, 0) || end < first.length || !isAt(last, text, end)) return false
  // Each part at its first place leaves the most text for the next parts.
  let from = first.length
  for (const part of rest) {
    while (from + part.length <= end && !isAt(part, text, from)) from += 1
    from += part.length
    if (from > end) return false
  }
  return true
}

/** Whether a part without `*` matches the text at a place. */
function isAt(part: string, text: string, at: number): boolean {
  if (at + part.length > text.length) return false
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== '?' && part[index] !== text[at + index]) return false
  }
  return true
}

/** The tokens of a platform that expressions may match. */
type Platform = {
  readonly isIssuer: (issuer: URL) => boolean
  readonly operators: Readonly<Record<string, readonly ClaimComparison['operator'][]>>
  /**
   * Whether literal text of the expression names one project, or one owner of projects. Everybody can
   * have a project on these platforms, and get tokens for it.
   */
  readonly isPinned: (comparisons: ReadonlyMap<string, ClaimComparison>) => boolean
}

const valueName = 'The FederatedIdentityCredential.ClaimsMatchingExpression.Value'

const isOrigin = (issuer: URL, ...origins: readonly string[]) =>
  origins.includes(issuer.origin) && issuer.pathname === '/'

/** The text before the first wildcard. A text without one ends its last part, as a colon does. */
function literalBeginning(comparison: ClaimComparison | undefined): string {
  const { comparand = '', operator } = comparison ?? {}
  const [literal = ''] = operator === 'matches' ? comparand.split(/[*?]/, 1) : [comparand]
  return literal === comparand ? `${literal}:` : literal
}

/** Entra ID supports these platforms, and refuses expressions for other issuers. */
const platforms: readonly Platform[] = [
  // GitHub Actions.
  {
    isIssuer: (issuer) => isOrigin(issuer, 'https://token.actions.githubusercontent.com'),
    operators: {
      sub: ['eq', 'matches'],
      job_workflow_ref: ['eq', 'matches'],
      repository_id: ['eq'],
      repository_owner_id: ['eq'],
    },
    isPinned: (comparisons) =>
      comparisons.has('repository_id') || comparisons.has('repository_owner_id'),
  },
  // GitLab.
  {
    isIssuer: (issuer) =>
      issuer.pathname === '/' && /^gitlab\.(?:com|[a-z0-9.-]+\.(?:com|ca))$/.test(issuer.host),
    operators: { sub: ['eq', 'matches'], project_id: ['eq'] },
    isPinned: (comparisons) =>
      comparisons.has('project_id') ||
      /^project_id:\d+:/.test(literalBeginning(comparisons.get('sub'))),
  },
  // Terraform Cloud.
  {
    isIssuer: (issuer) =>
      isOrigin(issuer, 'https://app.terraform.io', 'https://app.eu.terraform.io'),
    operators: { sub: ['eq', 'matches'] },
    // The organization is a name: tokens have no claim with an ID that an expression may compare.
    isPinned: (comparisons) =>
      /^organization:[\w-]+:/.test(literalBeginning(comparisons.get('sub'))),
  },
]

/**
 * Checks a claims matching expression for tokens of an issuer.
 *
 * @returns the reason why Entra ID refuses it; undefined when it is valid
 */
export function judgeClaimsMatchingExpression(text: string, issuer: string): string | undefined {
  const url = URL.parse(issuer)
  const platform = platforms.find(({ isIssuer }) => url !== null && isIssuer(url))
  if (platform === undefined)
    return `The issuer ${issuer} does not support claims matching expressions.`
  const comparisons = parseClaimsMatchingExpression(text)
  if (comparisons === undefined) return 'The claims matching expression is invalid.'
  const { operators, isPinned } = platform
  const isAllowed = comparisons.every(
    ({ claim, operator }) =>
      Object.hasOwn(operators, claim) && operators[claim]?.includes(operator) === true,
  )
  const byClaim = new Map(comparisons.map((one) => [one.claim, one]))
  return isAllowed && byClaim.has('sub') && isPinned(byClaim)
    ? undefined
    : `${valueName} is invalid. Rule exception: Expression configured for issuer '${issuer}' either lacks all required claims or contains unallowed claims. paramName: ${valueName.slice('The '.length)}, paramValue: ${text}, objectType: Microsoft.Online.DirectoryServices.Application`
}
