import { refuse } from '../refusals/graph-error.ts'

/** The entity tag of an object, from the revision of its last change. */
export const entityTag = (revision: number): string => `W/"${revision}"`

/**
 * Requires that an object has one of the entity tags of `If-Match`.
 *
 * @param ifMatch the header; without it, nothing is required
 * @throws {GraphError} graph_refusal object_changed when it has another entity tag.
 * @see RFC 9110 section 13.1.1
 */
export function requireMatch(ifMatch: string | undefined, revision: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(entityTag(revision))) throw refuse('object_changed')
}
