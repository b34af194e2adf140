import type { Hono } from 'hono'

/** One fault that a lab can make, with its parameters. */
export type FaultKind = {
  readonly name: string
  /** The endpoints at which it can be armed. */
  readonly at: readonly string[]
  /** One sentence. */
  readonly summary: string
  readonly parameters: readonly FaultParameter[]
}

/** A parameter of a fault: a whole number in a range, or one of some values. */
export type FaultParameter = {
  readonly name: string
  readonly initial: string | number | undefined
  readonly choices: readonly (string | number)[] | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly isRequired: boolean
}

/** The lab of the server, as the portal uses it. */
export type PortalLab = {
  /** The operations of the lab, for the caller that the environment of a request names. */
  readonly operations: Hono
  readonly faultKinds: readonly FaultKind[]
}
