import {
  type ClaimComparison,
  parseClaimsMatchingExpression,
} from './claims-matching-expression.ts'

/** The tokens of a platform that expressions may match. */
type Platform = {
  readonly isIssuer: (issuer: URL) => boolean
  /** The operators of each claim. */
  readonly operators: Readonly<Record<string, readonly ClaimComparison['operator'][]>>
  /** Whether the compared claims identify one project for ever, since names can change owners. */
  readonly isPinned: (comparands: ReadonlyMap<string, string>) => boolean
}

const isOrigin = (issuer: URL, ...origins: readonly string[]) =>
  origins.includes(issuer.origin) && issuer.pathname === '/'

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
    isPinned: (comparands) =>
      comparands.has('repository_id') || comparands.has('repository_owner_id'),
  },
  // GitLab.
  {
    isIssuer: (issuer) =>
      issuer.pathname === '/' && /^gitlab\.(?:com|[a-z0-9.-]+\.(?:com|ca))$/.test(issuer.host),
    operators: { sub: ['eq', 'matches'], project_id: ['eq'] },
    isPinned: (comparands) =>
      comparands.has('project_id') || comparands.get('sub')?.startsWith('project_id:') === true,
  },
  // Terraform Cloud.
  {
    isIssuer: (issuer) =>
      isOrigin(issuer, 'https://app.terraform.io', 'https://app.eu.terraform.io'),
    operators: { sub: ['eq', 'matches'] },
    isPinned: () => true,
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
  const comparands = new Map(comparisons.map(({ claim, comparand }) => [claim, comparand]))
  const isAllowed = comparisons.every(
    ({ claim, operator }) =>
      Object.hasOwn(operators, claim) && operators[claim]?.includes(operator) === true,
  )
  return isAllowed && comparands.has('sub') && isPinned(comparands)
    ? undefined
    : 'The claims matching expression lacks all required claims or contains unallowed claims.'
}
