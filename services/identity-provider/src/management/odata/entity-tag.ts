import { refuse } from '../http/graph-error.ts'

/** The state of an object, for `@odata.etag`: the revision that it was last changed in. */
export const entityTag = (revision: number): string => `W/"${revision}"`

/**
 * Judges whether an object is still in the state that the caller means.
 *
 * @param ifMatch The header; nothing is required when there is none.
 * @throws {GraphError} graph_refusal object_changed when it is in another.
 * @see RFC 9110 §13.1.1
 */
export function requireMatch(ifMatch: string | undefined, revision: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(entityTag(revision))) throw refuse('object_changed')
}
