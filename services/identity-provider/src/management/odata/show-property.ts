import type { Answer, Call } from '../operations/operation.ts'
import type { EntitySet } from './entity-set.ts'
import { parseQuery, supportedOptions } from './query-options.ts'
import { showEntity } from './show-entity.ts'

/**
 * Shows the property of an object that the path names. A property without a value has no content.
 *
 * @see OData 4.01 Part 1 section 11.2.4
 */
export async function showProperty<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entity: Entity,
): Promise<Answer> {
  parseQuery(call, supportedOptions.nothing)
  const { property = '' } = call.parameters
  const query = new URLSearchParams({ $select: property })
  const { body } = await showEntity({ ...call, query }, set, entity)
  const value = (body as Readonly<Record<string, unknown>>)[property] ?? null
  if (value === null) return { status: 204 }
  const context = `${call.rootUrl}/$metadata#${set.name}('${set.keyOf(entity)}')/${property}`
  const isComplex = typeof value === 'object' && !Array.isArray(value)
  return {
    status: 200,
    body: { '@odata.context': context, ...(isComplex ? value : { value }) },
  }
}
