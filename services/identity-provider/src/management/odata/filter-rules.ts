import { type ComplexType, complexTypeIn, exactTime, timeText } from '@greeting/directory'
import { refuse } from '../refusals/graph-error.ts'
import { type EntitySet, propertyNamed, unknownProperty } from './entity-set.ts'
import type { Comparison, Filter } from './filter.ts'

/**
 * Returns a filter with the exact names of a set's properties, if the set supports each of its comparisons.
 *
 * @param isAdvanced whether the request has both parameters of advanced queries
 * @throws {GraphError} graph_refusal query_invalid for an unknown property; query_unsupported for a
 * comparison that Graph does not index either.
 * @see https://learn.microsoft.com/graph/aad-advanced-queries
 */
export function resolveFilter<Entity>(
  filter: Filter,
  set: EntitySet<Entity>,
  isAdvanced: boolean,
): Filter {
  if (filter.kind === 'comparison') return resolveComparison(filter, set, isAdvanced)
  if (filter.kind === 'not') {
    if (!isAdvanced) throw refuse('query_unsupported', needsAdvanced('not'))
    return { kind: 'not', part: resolveFilter(filter.part, set, isAdvanced) }
  }
  return {
    kind: filter.kind,
    parts: filter.parts.map((part) => resolveFilter(part, set, isAdvanced)),
  }
}

function resolveComparison<Entity>(
  comparison: Comparison,
  set: EntitySet<Entity>,
  isAdvanced: boolean,
): Comparison {
  const { isAny, literal, operator } = comparison
  const property = propertyNamed(comparison.property, set)
  if (property === undefined)
    throw refuse('query_invalid', unknownProperty(comparison.property, set))
  const { filter: kind, hasStartsWith, type } = set.properties[property] ?? {}
  if (kind === undefined) throw refuse('query_unsupported', notFilterable(property, set))
  if (isAny !== (kind === 'collection' || kind === 'members'))
    throw refuse('query_unsupported', wrongForm(property, isAny))
  const objects = kind === 'members' ? complexTypeIn(type) : undefined
  const [member, comparedAs] = isAny
    ? resolveMember(comparison, property, objects)
    : [undefined, kind]
  if (operator === 'startsWith' && !hasStartsWith)
    throw refuse('query_unsupported', `Unsupported filter 'startsWith' for '${property}'.`)
  if ((operator === 'ne' || operator === 'endsWith') && !isAdvanced)
    throw refuse('query_unsupported', needsAdvanced(operator))
  // Graph supports `endsWith` for names of users only, and `ne` within `any` nowhere.
  const isUnsupported =
    operator === 'endsWith' ||
    (operator === 'ne' && isAny) ||
    ((operator === 'ge' || operator === 'le') && kind !== 'time')
  if (isUnsupported)
    throw refuse('query_unsupported', objects ? complex(property) : notFilterable(property, set))
  const valueType = String(member === undefined ? type : objects?.members[member]?.type)
  if (comparison.isQuoted && unquotedTypes.has(valueType))
    throw refuse('query_invalid', incompatible(valueType, operator))
  const isTime = comparedAs === 'time'
  const compared = isTime ? timeOf(literal, member ?? property) : literal
  return { ...comparison, property, member, literal: compared, isTime }
}

/** The exact name of the member that a comparison within `any` names, and how it is compared. */
function resolveMember(
  { member: name }: Comparison,
  property: string,
  objects: ComplexType | undefined,
): [string | undefined, 'value' | 'time'] {
  if (objects === undefined) {
    if (name === undefined) return [undefined, 'value']
    throw refuse('query_invalid', `The values of '${property}' are texts. ${useAny(property)}`)
  }
  if (name === undefined) {
    const [key] = Object.entries(objects.members).find(([, { isKey }]) => isKey) ?? []
    throw refuse(
      'query_invalid',
      `The values of '${property}' are objects. ${useAny(property, `/${key}`)}`,
    )
  }
  const member = propertyNamed(name, { properties: objects.members })
  if (member === undefined) throw refuse('query_invalid', unknownProperty(name, objects))
  const comparedAs = objects.members[member]?.filter
  if (comparedAs === undefined) throw refuse('query_unsupported', notFilterable(member, objects))
  return [member, comparedAs]
}

/** A time in the form of the answers. */
function timeOf(literal: Comparison['literal'], property: string): string | null {
  if (literal === null) return null
  const time = exactTime(typeof literal === 'string' ? literal : '')
  if (Number.isNaN(time.getTime()))
    throw refuse(
      'query_invalid',
      `Invalid filter clause: the value of '${property}' must be a date and time as in 2026-01-31T12:00:00Z.`,
    )
  return timeText(time)
}

const unquotedTypes: ReadonlySet<string> = new Set(['Edm.Guid', 'Edm.DateTimeOffset'])
const operatorKinds = new Map([
  ['ne', 'NotEqual'],
  ['ge', 'GreaterThanOrEqual'],
  ['le', 'LessThanOrEqual'],
])

/** The sentence of the OData library for a value in quotes (entra E380). */
const incompatible = (type: string, operator: string) =>
  `Invalid filter clause: A binary operator with incompatible types was detected. Found operand types '${type}' and 'Edm.String' for operator kind '${operatorKinds.get(operator) ?? 'Equal'}'.`

const notFilterable = (property: string, { type }: { readonly type: string }) =>
  `Unsupported or invalid query filter clause specified for property '${property}' of resource '${type.charAt(0).toUpperCase()}${type.slice(1)}'.`

const complex = (property: string) => `Complex query on property ${property} is not supported.`

const needsAdvanced = (operator: string) =>
  `Operator '${operator}' is not supported because the required parameters might be missing. Try adding $count=true query parameter and ConsistencyLevel:eventual header. Refer to https://aka.ms/graph-docs/advanced-queries for more information`

const wrongForm = (property: string, isAny: boolean) =>
  isAny
    ? `The property '${property}' is not a collection. Use ${property} eq '...'.`
    : `The property '${property}' is a collection. ${useAny(property)}`

const useAny = (property: string, member = '') => `Use ${property}/any(x:x${member} eq '...').`
