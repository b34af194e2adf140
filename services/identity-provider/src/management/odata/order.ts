import type { ListOrder } from '../../storage/directory-list.ts'
import { refuse } from '../refusals/graph-error.ts'
import { type EntitySet, propertyNamed, unknownProperty } from './entity-set.ts'

const orderPattern = /^\s*(\w+)(?:\s+(asc|desc))?\s*$/i

/**
 * Parses an `$orderby` of one property.
 *
 * @throws {GraphError} graph_refusal query_invalid, query_unsupported.
 * @see OData 4.01 Part 2 section 5.1.5
 */
export function parseOrder<Entity>(text: string, set: EntitySet<Entity>): ListOrder {
  const [, name = '', direction = 'asc'] = orderPattern.exec(text.slice(0, 256)) ?? []
  if (name === '') throw refuse('query_unsupported', sorting)
  const property = propertyNamed(name, set)
  if (property === undefined) throw refuse('query_invalid', unknownProperty(name, set))
  if (!set.properties[property]?.isSortable) throw refuse('query_unsupported', sorting)
  return { by: property as ListOrder['by'], isDescending: direction.toLowerCase() === 'desc' }
}

/** Graph's sentence for every order that it does not support. */
export const sorting = 'Sorting not supported for current query.'
