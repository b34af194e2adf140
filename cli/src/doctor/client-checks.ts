import type { ClientFailure } from '@greeting/client'
import { exitByFailure } from '../exit-codes.ts'
import { timeInWords } from '../text/time-in-words.ts'
import { decodeToken } from '../text/token-text.ts'
import { type Check, type CheckResult, right, unknown, warning, wrong } from './check-result.ts'
import type { Probes, Tried } from './probes.ts'

type Step = 'client' | 'credential' | 'scope' | 'roles'

// Which step a refusal of the identity provider is about.
const stepByAadsts: Readonly<Record<number, Step>> = {
  700016: 'client',
  7000112: 'client',
  700038: 'client',
  7000215: 'credential',
  7000216: 'credential',
  7000222: 'credential',
  700024: 'credential',
  700027: 'credential',
  70021: 'credential',
  700213: 'credential',
  500011: 'scope',
  50001: 'scope',
  70011: 'scope',
  1002012: 'scope',
  501051: 'roles',
}

const stepByOauthError: Readonly<Record<string, Step>> = {
  unauthorized_client: 'client',
  invalid_client: 'credential',
  invalid_scope: 'scope',
  invalid_resource: 'scope',
}

function stepOf(failure: ClientFailure): Step | undefined {
  if (failure.code === 'credential_unreadable') return 'credential'
  if (failure.code !== 'credential_refused' && failure.code !== 'token_refused') return undefined
  const { aadstsCode, oauthError } = failure.details
  return stepByAadsts[aadstsCode ?? 0] ?? stepByOauthError[oauthError ?? '']
}

const said = (failure: ClientFailure) =>
  wrong(exitByFailure[failure.code], failure.message, failure.remedy)

/** One step of the token request, right when a token came, wrong when the refusal was about it. */
const tokenCheck = (
  step: Step,
  whenGranted: (facts: Probes, token: string) => CheckResult,
): Check => ({
  step,
  judge: (facts) => {
    const { token } = facts
    if (token === undefined) return unknown('not tried')
    if ('value' in token) return whenGranted(facts, token.value)
    const failed = stepOf(token.error)
    if (failed === step) return said(token.error)
    // Some refusals are about none of the steps: told where the first of them stands.
    if (failed === undefined && step === 'client') return said(token.error)
    if (failed === undefined) return unknown('no token was obtained')
    const isKnown = step === 'client' && failed === 'credential'
    return isKnown
      ? right('known to the identity provider')
      : unknown('the token request was refused before')
  },
})

const soonMs = 14 * 86_400_000

function judgeEnd({ credentialEndsMs, nowMs }: Probes): CheckResult {
  if (credentialEndsMs === undefined) {
    return right(
      'accepted; when it ends, only an administrator can see (CLIENT_SECRET_EXPIRES would tell it here)',
    )
  }
  const says = `accepted; it ends ${timeInWords(credentialEndsMs / 1000, nowMs / 1000)}`
  if (credentialEndsMs - nowMs > soonMs) return right(says)
  return warning(says, 'Create the next one now, and give both until the change is done.')
}

/** The roles that the API demands, by the greeting that demands them. */
export const demandedRoles = { hi: 'CallHiApiRole', hello: 'CallHelloApiRole' } as const

function judgeRoles(token: string): CheckResult {
  let roles: unknown
  try {
    roles = decodeToken(token).claims.roles
  } catch {
    return unknown('the token is not a JWT, so its roles cannot be seen')
  }
  const granted = Array.isArray(roles) ? roles.map(String) : []
  const missing = Object.values(demandedRoles).filter((role) => !granted.includes(role))
  if (missing.length === 0) return right(`the token carries ${granted.join(', ')}`)
  const says = `permission requested but not consented, or not requested at all: ${missing.join(', ')} (the token carries ${granted.join(', ') || 'no role'})`
  const mend = `Add ${missing.join(' and ')} to the application permissions of the client, then grant admin consent.`
  return wrong('notAllowed', says, mend)
}

/** Client, credential, scope and roles, as the token request shows them. */
export const clientChecks: readonly Check[] = [
  tokenCheck('client', () => right('known to the identity provider')),
  tokenCheck('credential', judgeEnd),
  tokenCheck('scope', ({ settings }) =>
    right(`known: ${'value' in settings ? settings.value.scope : ''}`),
  ),
  tokenCheck('roles', (_facts, token) => judgeRoles(token)),
]

function judgeGreeting(tried: Tried<string, ClientFailure> | undefined): CheckResult {
  if (tried === undefined) return unknown('not tried')
  return 'value' in tried ? right(`answers ${JSON.stringify(tried.value)}`) : said(tried.error)
}

/** The greetings themselves. */
export const greetingChecks: readonly Check[] = [
  { step: 'hi', judge: ({ hi }) => judgeGreeting(hi) },
  { step: 'hello', judge: ({ hello }) => judgeGreeting(hello) },
]
