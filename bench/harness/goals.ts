import type { Result } from './result.ts'

/** What a row must reach in proportion to another one of the same run. */
export type Goal = { readonly id: string; readonly to: string; readonly atLeast: number }

export const goals: readonly Goal[] = [
  { id: 'greeting-node-remembered', to: 'greeting-node-open', atLeast: 0.92 },
  { id: 'greeting-node-remembered', to: 'haproxy-jwt-verify', atLeast: 2.2 },
  { id: 'greeting-bun-remembered', to: 'haproxy-jwt-verify', atLeast: 3.5 },
  { id: 'greeting-node-new', to: 'haproxy-jwt-verify-new', atLeast: 0.8 },
  { id: 'greeting-bun-new', to: 'haproxy-jwt-verify-new', atLeast: 1 },
  { id: 'identity-provider-sqlite', to: 'openssl-rsa2048-sign', atLeast: 0.8 },
  { id: 'identity-provider-sqlite-two-cores', to: 'identity-provider-sqlite', atLeast: 1.7 },
]

export type Reached = Goal & {
  /** None where one of the two rows was not measured. */
  readonly found: number | undefined
  /** How far the middle half of the rounds lies from what was found. */
  readonly within: number | undefined
}

/** Looks each goal up in the results. */
export function reach(results: readonly Result[]): Reached[] {
  return goals.map((goal) => {
    const result = results.find(({ id }) => id === goal.id)
    return { ...goal, found: result?.ratioTo[goal.to], within: result?.ratioWithin[goal.to] }
  })
}
