import type { Change } from '../planning/steps/change.ts'

/** Changes that must be made one after the other. */
export type Chain = readonly Change[]

/**
 * The changes of a plan in stages. A stage begins after the end of the previous one. Its chains do not
 * depend on each other.
 *
 * APIs form one chain, because an identifier URI may move from one to another. Later steps have a
 * stage each, because a client can be the API of another client.
 */
export function stagesOf(changes: readonly Change[]): Chain[][] {
  const stages = Map.groupBy(changes, ({ kind, step }) => {
    if (kind === 'deleteApplication') return kind
    return step === 'Application roles' ? 'API registration' : step
  })
  return [...stages].map(([stage, all]) =>
    stage === 'API registration'
      ? [all]
      : [...Map.groupBy(all, ({ application }) => application).values()],
  )
}
