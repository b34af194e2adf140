import { wordsOf } from '@greeting/directory'
import { refuse } from '../refusals/graph-error.ts'
import { type EntitySet, propertyNamed, unknownProperty } from './entity-set.ts'
import { combined, type Filter } from './filter.ts'

const maxLength = 1024
const maxClauses = 10
const maxWords = 20
const clausePattern = /\s*(?:(AND|OR)\s+)?"([A-Za-z]+):((?:[^"\\]|\\.)*)"\s*/y
/** A shorter word has no trigrams. */
const minContainedLength = 3

/**
 * Parses a `$search` of directory objects: `"displayName:text"`, joined by `AND` and `OR`. An object
 * matches a clause when its property contains every word of the text, in any order and any case. A word
 * of one or two characters is the beginning of a word of the property (entra E189).
 *
 * @throws {GraphError} graph_refusal query_invalid when it has another form; query_unsupported when the
 *   property cannot be searched.
 * @see https://learn.microsoft.com/graph/search-query-parameter
 */
export function parseSearch<Entity>(text: string, set: EntitySet<Entity>): Filter {
  if (text.length > maxLength) {
    throw refuse('query_invalid', `The $search is longer than ${maxLength} characters.`)
  }
  // AND binds more tightly than OR.
  const alternatives: Filter[][] = []
  let clauses = 0
  for (let at = 0; at < text.length; clauses += 1) {
    clausePattern.lastIndex = at
    const [match, joint, name = '', value = ''] = clausePattern.exec(text) ?? []
    const isJoined = clauses === 0 ? joint === undefined : joint !== undefined
    if (match === undefined || !isJoined || clauses === maxClauses) throw malformed()
    const clause = clauseOf(name, value, set)
    if (joint === 'AND') alternatives.at(-1)?.push(clause)
    else alternatives.push([clause])
    at += match.length
  }
  if (clauses === 0) throw malformed()
  return combined(
    'or',
    alternatives.map((parts) => combined('and', parts)),
  )
}

function clauseOf<Entity>(name: string, text: string, set: EntitySet<Entity>): Filter {
  const property = propertyNamed(name, set)
  if (property === undefined) throw refuse('query_invalid', unknownProperty(name, set))
  if (!set.properties[property]?.isSearchable) {
    throw refuse('query_unsupported', `Unsupported $search: '${property}' cannot be searched.`)
  }
  const words = wordsOf(text.toLowerCase())
  if (words.length === 0 || words.length > maxWords) throw malformed()
  return combined(
    'and',
    words.map((literal) => ({
      kind: 'comparison',
      property,
      member: undefined,
      isAny: false,
      operator: [...literal].length < minContainedLength ? 'startsWord' : 'contains',
      literal,
    })),
  )
}

const malformed = () =>
  refuse(
    'query_invalid',
    `Syntax error in $search: use "displayName:text", with 1 to ${maxWords} words, and at most ${maxClauses} clauses joined by AND and OR.`,
  )
