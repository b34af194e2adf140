import { refuse } from '../refusals/graph-error.ts'

/** The entity tag of an object, from the mark of the commit that last changed it. */
export const entityTag = (mark: string): string => `W/"${mark}"`

/**
 * Requires that one of the entity tags in `If-Match` is the object's.
 *
 * @param ifMatch the header; without it, nothing is required
 * @throws {GraphError} graph_refusal object_changed when it has another entity tag.
 * @see RFC 9110 section 13.1.1
 */
export function requireMatch(ifMatch: string | undefined, mark: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (mark === undefined || !tags.includes(entityTag(mark))) throw refuse('object_changed')
}
