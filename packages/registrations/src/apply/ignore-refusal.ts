import { GraphRefusalError } from './graph-refusal-error.ts'

/** Ignores a refusal that means that the change exists already. */
export function ignoreRefusal(isDone: (refusal: GraphRefusalError) => boolean) {
  return (error: unknown): undefined => {
    if (error instanceof GraphRefusalError && isDone(error)) return undefined
    throw error
  }
}
