import type { RegistrationStep } from './registration-step.ts'

/** Whether tokens of a client contain a role, or the reason why not. */
export type RoleState = 'carried' | 'disabled' | 'not_granted' | 'not_requested'

/** The state of one of the six registration steps. */
export type StepResult = {
  readonly step: RegistrationStep
  readonly state: 'done' | 'partly' | 'missing'
  readonly detail: string
  /** The refusal of a token request that this state causes. */
  readonly refusal?: Refusal
}

/** A refusal with the number of Microsoft Entra ID. */
export type Refusal = { readonly aadstsCode: number; readonly reason: string }

/** The result of a token request of one client for one API, with its reasons. */
export type Explanation = {
  readonly client: string
  readonly api: string
  readonly steps: readonly StepResult[]
  /** Every application role that the API declares, with its state. */
  readonly roles: readonly { readonly value: string; readonly state: RoleState }[]
  /** `undefined` when a token would be issued. */
  readonly refusal?: Refusal
}

/** The roles that the token would contain; none when the request would be refused. */
export const carriedRoles = ({ roles, refusal }: Explanation): string[] =>
  refusal ? [] : roles.filter(({ state }) => state === 'carried').map(({ value }) => value)
