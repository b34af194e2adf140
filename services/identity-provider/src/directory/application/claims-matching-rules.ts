import {
  type ClaimComparison,
  parseClaimsMatchingExpression,
} from './claims-matching-expression.ts'

/** The tokens of a platform that expressions may match. */
type Platform = {
  readonly isIssuer: (issuer: URL) => boolean
  /** The operators of each claim. */
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

/** Entra ID knows these platforms, and refuses expressions for other issuers. */
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
  if (platform === undefined) {
    return `The issuer ${issuer} does not support claims matching expressions.`
  }
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
