import { type ClientFailure, greetings } from '@greeting/client'
import { tokenSizeFault, tokenSizeRemedy } from '@greeting/registrations/token-size'
import { exitByFailure } from '../exit-codes.ts'
import { timeInWords } from '../text/time.ts'
import { decodeToken } from '../text/token-text.ts'
import { aadstsChecks } from './aadsts-checks.ts'
import type { Attempt, Probes } from './probes.ts'
import {
  type Check,
  type CheckResult,
  greetingNames,
  right,
  sections,
  unknown,
  warning,
  wrong,
} from './probes.ts'

type Step = 'client' | 'credential' | 'scope' | 'roles' | 'size'

const stepByAadsts = new Map<number, Step>(
  Object.entries(aadstsChecks).flatMap(([step, codes]) =>
    codes.map((code) => [code, step as Step] as const),
  ),
)
  // The identity provider of this project sends other codes for these.
  .set(70021, 'credential')
  .set(50001, 'scope')

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
  return stepByAadsts.get(aadstsCode ?? 0) ?? stepByOauthError[oauthError ?? '']
}

function sectionsOf({ code, details }: ClientFailure): readonly string[] {
  if (code === 'token_rejected') return [sections.rejected]
  // AADSTS501051: the client has no role, and the API requires an assignment.
  if (code === 'role_missing' || ('aadstsCode' in details && details.aadstsCode === 501051))
    return [sections.roles]
  return 'fault' in details ? [sections.connections] : []
}

const failureResult = (failure: ClientFailure, remedy = failure.remedy) =>
  wrong(exitByFailure[failure.code], failure.message, remedy, sectionsOf(failure))

/** One check of the token request: passed with a token, failed when the refusal belongs to it. */
const tokenCheck = (
  step: Step,
  whenGranted: (facts: Probes, token: string) => CheckResult,
): Check => ({
  step,
  run: (facts) => {
    const { token } = facts
    if (token === undefined) return unknown('not tried')
    if ('value' in token) return whenGranted(facts, token.value)
    const failed = stepOf(token.error)
    if (failed === step) return failureResult(token.error)
    // A refusal that belongs to no check is reported at the first one.
    if (failed === undefined && step === 'client') return failureResult(token.error)
    if (failed === undefined) return unknown('no token was obtained')
    const isKnown = step === 'client' && failed === 'credential'
    return isKnown
      ? right('known to the identity provider')
      : unknown('not reached: the token request was refused earlier')
  },
})

const warningMs = 14 * 86_400_000

function checkEnd({ credentialEndsMs, nowMs }: Probes): CheckResult {
  if (credentialEndsMs === undefined)
    return right('accepted; its end is unknown (set CLIENT_SECRET_EXPIRES to show it here)')
  const detail = `accepted; it ends ${timeInWords(credentialEndsMs / 1000, nowMs / 1000)}`
  if (credentialEndsMs - nowMs > warningMs) return right(detail)
  return warning(detail, 'Create the next one now, and use both until the change is complete.')
}

const requiredRoles = Object.values(greetings).map(({ role }) => role)

const maxShownRoles = 10

function grantedRoles(token: string): readonly string[] | undefined {
  try {
    const { roles } = decodeToken(token).claims
    return Array.isArray(roles) ? roles.map(String) : []
  } catch {
    return undefined
  }
}

const missingIn = (granted: readonly string[]) =>
  requiredRoles.filter((role) => !granted.includes(role))

/** The required roles that the token does not contain. */
export const missingRoles = ({ token }: Probes): readonly string[] =>
  token && 'value' in token ? missingIn(grantedRoles(token.value) ?? requiredRoles) : []

function checkRoles({ steps }: Probes, token: string): CheckResult {
  const granted = grantedRoles(token)
  if (granted === undefined) return unknown('the token is not a JWT, so its roles are unknown')
  const missing = missingIn(granted)
  const shown = granted.slice(0, maxShownRoles).join(', ')
  const others = granted.length - maxShownRoles
  const contained = others > 0 ? `${shown} and ${others} more` : shown
  if (missing.length === 0) return right(`the token contains ${contained}`)
  const detail = `the token lacks ${missing.join(', ')} (it contains ${contained || 'no role'})`
  const known = missing.flatMap((role) => steps?.sentences[role] ?? [])
  const either = `Grant admin consent. If the client does not request ${missing.join(' and ')}, request this first.`
  const command = steps ? [`Show all steps: ${steps.command}`] : []
  return wrong('not_allowed', detail, known.join('\n') || either, [...command, sections.roles])
}

function checkSize({ length }: string): CheckResult {
  const fault = tokenSizeFault(length)
  if (fault !== undefined) return warning(`the token has ${fault}`, tokenSizeRemedy)
  return right(`the token has ${length} characters, which servers accept`)
}

/** The checks of client, credential, scope, roles and size, derived from the token request. */
export const clientChecks: readonly Check[] = [
  tokenCheck('client', ({ settings }) => {
    const { AGENT_ID, CLIENT_ID } = 'value' in settings ? settings.value : {}
    const known = 'known to the identity provider'
    return right(AGENT_ID ? `${known}: the agent ${AGENT_ID} of the blueprint ${CLIENT_ID}` : known)
  }),
  tokenCheck('credential', checkEnd),
  tokenCheck('scope', ({ settings }) =>
    right(`known: ${'value' in settings ? settings.value.scope : ''}`),
  ),
  tokenCheck('roles', checkRoles),
  tokenCheck('size', (_facts, token) => checkSize(token)),
]

function checkGreeting(
  tried: Attempt<string, ClientFailure> | undefined,
  { steps }: Probes,
): CheckResult {
  if (tried === undefined) return unknown('not tried')
  if ('value' in tried) return right(`answers ${JSON.stringify(tried.value)}`)
  const { error } = tried
  const { role = '' } = error.code === 'role_missing' ? error.details : {}
  return failureResult(error, steps?.sentences[role])
}

export const greetingChecks: readonly Check[] = greetingNames.map((step, at) => ({
  step,
  run: (facts) => checkGreeting(facts.greeted?.[at], facts),
}))
