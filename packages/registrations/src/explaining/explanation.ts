// Folder: The token of one client for one API, from the directory alone: no file, no plan.

import { onOneLine } from '../directory/text.ts'
import { estimateTokenBytes, tokenSizeFault, tokenSizeRemedy } from '../token-size.ts'

/** The six registration steps, in the order of their dependencies. */
export const registrationSteps = [
  'API registration',
  'Application roles',
  'Client registration',
  'Permissions',
  'Admin consent',
  'Client secret',
] as const

export type RegistrationStep = (typeof registrationSteps)[number]

/**
 * Whether a client's tokens contain a role, or the reason why not. A role that the blueprint has
 * but the agent may not inherit is `not_inheritable`.
 */
export type RoleState = 'carried' | 'disabled' | 'not_inheritable' | 'not_granted' | 'not_requested'

/** The state of one of the six registration steps. It is unknown if only another tenant shows it. */
export type StepResult = {
  readonly step: RegistrationStep
  readonly state: 'done' | 'partly' | 'missing' | 'unknown'
  readonly detail: string
  /** The step belongs to the agent's blueprint and not to the agent. */
  readonly of?: 'blueprint'
  /** The refusal of a token request that this state causes. */
  readonly refusal?: Refusal
}

/** A refusal with its Microsoft Entra ID error number. */
export type Refusal = { readonly aadstsCode: number; readonly reason: string }

/** The result of a token request of one client for one API, with its reasons. */
export type Explanation = {
  readonly client: string
  /** The blueprint of the client, if it is an agent. */
  readonly blueprint?: { readonly id: string; readonly name: string }
  readonly api: string
  readonly steps: readonly StepResult[]
  /** Every application role that the API declares, with its state. An agent has it itself, or from its blueprint. */
  readonly roles: readonly {
    readonly value: string
    readonly state: RoleState
    readonly source?: 'assigned' | 'inherited'
  }[]
  /** Why the last token of an agent may have fewer roles than the next one. */
  readonly note?: string
  /** `undefined` when a token would be issued. */
  readonly refusal?: Refusal
}

/** The steps that are missing wholly or in part, in their order. */
export const missingSteps = ({ steps }: Explanation): StepResult[] =>
  steps.filter(({ state }) => state === 'missing' || state === 'partly')

/** True if the client gets a token with a role, and no step is missing. */
export const isComplete = (explanation: Explanation): boolean =>
  explanation.refusal === undefined && missingSteps(explanation).length === 0

/** The result and its reason, in one sentence. */
export function answerText(explanation: Explanation): string {
  const { client, api, refusal } = explanation
  if (refusal !== undefined)
    return `"${client}" gets no token for "${api}": ${refusal.reason} (AADSTS${refusal.aadstsCode}).`
  const roles = carriedRoles(explanation)
  if (roles.length === 0) return `"${client}" gets a token for "${api}" without any role.`
  return `"${client}" gets a token for "${api}" with ${roles.join(', ')}.`
}

/** All missing steps in one sentence; empty when there are none. */
export function missingText(explanation: Explanation): string {
  const missing = missingSteps(explanation).map(({ step }) => step)
  if (missing.length === 0) return ''
  return `Missing ${missing.length === 1 ? 'step' : 'steps'}: ${missing.join(', ')}.`
}

/**
 * Warns that servers refuse the token for its length, even after the roles that wait for consent
 * are granted; empty if the length is usual.
 */
export function sizeText({ roles }: Explanation): string {
  const counted = roles.filter(({ state }) => state === 'carried' || state === 'not_granted')
  const fault = tokenSizeFault(estimateTokenBytes(counted.map(({ value }) => value)))
  if (fault === undefined) return ''
  const when = counted.some(({ state }) => state === 'not_granted') ? 'With consent, the' : 'The'
  return `${when} token has ${counted.length} roles and about ${fault}. ${tokenSizeRemedy}`
}

/** The roles that the token would contain; none if the request would be refused. */
export const carriedRoles = ({ roles, refusal }: Explanation): string[] =>
  refusal ? [] : roles.filter(({ state }) => state === 'carried').map(({ value }) => value)

const marks: Readonly<Record<StepResult['state'], string>> = {
  done: 'ok',
  partly: 'partly',
  missing: 'MISSING',
  unknown: 'unknown',
}

/** An explanation for people: the result, all missing steps, then the state of each of the six registration steps. */
export function explanationText(explanation: Explanation): string {
  const rows = explanation.steps.map(({ step, state, detail }) => {
    const number = registrationSteps.indexOf(step) + 1
    return `  ${number} ${step.padEnd(20)} ${marks[state].padEnd(8)} ${onOneLine(detail)}`
  })
  const sentences = [
    answerText(explanation),
    missingText(explanation),
    sizeText(explanation),
    explanation.note ?? '',
  ]
  const lines = sentences.filter((sentence) => sentence !== '').map(onOneLine)
  return [...lines, '', ...rows, ''].join('\n')
}
