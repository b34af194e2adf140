import type { RegistrationStep } from './registration-step.ts'

/** Why a role is, or is not, in the tokens of a client. */
export type RoleState = 'carried' | 'disabled' | 'not granted' | 'not requested'

/** What one of the six acts has come to. */
export type StepResult = {
  readonly step: RegistrationStep
  readonly state: 'done' | 'partly' | 'missing'
  readonly detail: string
  /** What the identity provider would say to a token request because of it. */
  readonly refusal?: Refusal
}

/** A refusal as Microsoft Entra ID numbers them. */
export type Refusal = { readonly aadstsCode: number; readonly reason: string }

/** What would become of a token request of one client for one API, and why. */
export type Explanation = {
  readonly client: string
  readonly api: string
  readonly steps: readonly StepResult[]
  /** Every application role that the API declares, and what became of it. */
  readonly roles: readonly { readonly value: string; readonly state: RoleState }[]
  /** Undefined when a token would be issued. */
  readonly refusal?: Refusal
}

/** The roles that the token would carry; none when the request would be refused. */
export const carriedRoles = ({ roles, refusal }: Explanation): string[] =>
  refusal ? [] : roles.filter(({ state }) => state === 'carried').map(({ value }) => value)
