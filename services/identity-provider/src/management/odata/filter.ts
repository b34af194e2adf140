import { refuse } from '../refusals/graph-error.ts'
import { type FilterToken, filterTokens, syntaxError } from './filter-tokens.ts'

type Literal = string | boolean | null

export type Comparison = {
  readonly kind: 'comparison'
  readonly property: string
  /** The compared member within `any`; undefined for the value itself. */
  readonly member: string | undefined
  readonly isAny: boolean
  /** `contains` and `startsWord` come from `$search` only. */
  readonly operator:
    | 'eq'
    | 'ne'
    | 'ge'
    | 'le'
    | 'startsWith'
    | 'endsWith'
    | 'contains'
    | 'startsWord'
  readonly literal: Literal
  /** Whether the literal is a text in quotes. */
  readonly isQuoted?: boolean
  /** Whether the values are times. A filter that is not resolved does not know it. */
  readonly isTime?: boolean
}

/** A `$filter` as a tree. */
export type Filter =
  | Comparison
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }

type FilterLimits = {
  readonly maxComparisons: number
  /** The parts of `or`, and the values of `in`. */
  readonly maxAlternatives: number
}

/** The maximum of comparisons for each object. Microsoft Graph also limits the alternatives. */
const listLimits: FilterLimits = { maxComparisons: 40, maxAlternatives: 15 }
/** Brackets and `not` within each other. */
const maxDepth = 20

const operators = new Map<string, 'eq' | 'ne' | 'ge' | 'le'>([
  ['eq', 'eq'],
  ['ne', 'ne'],
  ['ge', 'ge'],
  ['le', 'le'],
])
const functions = new Map<string, 'startsWith' | 'endsWith'>([
  ['startswith', 'startsWith'],
  ['endswith', 'endsWith'],
])
const constants = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/**
 * Parses a `$filter`: comparisons, alone or within `any`, with `and`, `or`, `not`, `in` and brackets.
 * Operators and functions may have any case.
 *
 * @throws {GraphError} graph_refusal query_invalid when it is no expression; query_unsupported when it
 *   is too large, or uses other operators and functions.
 * @see OData 4.01 Part 2 section 5.1.1
 */
export function parseFilter(text: string, limits = listLimits): Filter {
  const parser = new FilterParser(text, limits)
  const filter = parser.either(0)
  parser.end()
  return filter
}

/** The text that a property must equal to satisfy a filter; undefined if several texts are possible. */
export function equalTo(filter: Filter, property: string): string | undefined {
  if (filter.kind === 'and')
    return filter.parts.map((part) => equalTo(part, property)).find((text) => text !== undefined)
  if (filter.kind !== 'comparison' || filter.operator !== 'eq' || filter.isAny) return undefined
  const isNamed = filter.property.toLowerCase() === property.toLowerCase()
  return isNamed && typeof filter.literal === 'string' ? filter.literal : undefined
}

/** Combines filters of which all, or at least one, must hold. */
export const combined = (kind: 'and' | 'or', parts: readonly Filter[]): Filter => {
  const [first] = parts
  return first !== undefined && parts.length === 1 ? first : { kind, parts }
}

class FilterParser {
  readonly #text: string
  readonly #tokens: readonly FilterToken[]
  readonly #limits: FilterLimits
  #next = 0
  #isQuoted = false
  #comparisons = 0

  constructor(text: string, limits: FilterLimits) {
    this.#text = text
    this.#tokens = filterTokens(text)
    this.#limits = limits
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw this.#fault()
  }

  either(depth: number): Filter {
    return this.#joined('or', () => this.#all(depth))
  }

  #all(depth: number): Filter {
    return this.#joined('and', () => this.#part(depth))
  }

  #joined(kind: 'and' | 'or', parse: () => Filter): Filter {
    const parts = [parse()]
    while (this.#takesWord(kind)) parts.push(parse())
    if (kind === 'or') this.#requireFewAlternatives(parts.length)
    return combined(kind, parts)
  }

  #part(depth: number): Filter {
    if (depth === maxDepth)
      throw refuse('query_unsupported', `Unsupported $filter: it has more than ${maxDepth} levels.`)
    if (this.#takesWord('not')) return { kind: 'not', part: this.#part(depth + 1) }
    if (this.#takesSign('(')) {
      const inner = this.either(depth + 1)
      this.#sign(')')
      return inner
    }
    return this.#comparison()
  }

  #comparison(): Filter {
    const name = this.#word()
    if (this.#takesSign('(')) return this.#call(name, (path) => this.#plain(path))
    if (!this.#takesSign('/')) return this.#compared(this.#plain(name))
    const member = this.#word()
    if (member.toLowerCase() !== 'any') throw unsupported(`${name}/${member}`)
    this.#sign('(')
    const element = this.#word()
    this.#sign(':')
    const filter = this.#element(name, element)
    this.#sign(')')
    return filter
  }

  /** The comparison within `any`, whose variable stands for one element. */
  #element(property: string, variable: string): Filter {
    const target = (name: string) => {
      if (name !== variable) throw this.#fault(-1)
      return { property, isAny: true, member: this.#takesSign('/') ? this.#word() : undefined }
    }
    const name = this.#word()
    if (this.#takesSign('(')) return this.#call(name, target)
    return this.#compared(target(name))
  }

  #call(name: string, target: (name: string) => Target): Filter {
    const operator = functions.get(name.toLowerCase())
    // Graph's sentence of 2021 (entra E376).
    if (name.toLowerCase() === 'contains')
      throw refuse('query_unsupported', "Unsupported property filter clause operator 'Contains'.")
    if (operator === undefined) throw unsupported(`${name}()`)
    const compared = target(this.#word())
    this.#sign(',')
    const filter = this.#one(compared, operator, this.#literal())
    this.#sign(')')
    // OData permits `startswith(...) eq true` too.
    if (!this.#takesWord('eq')) return filter
    const expected = this.#literal()
    if (typeof expected !== 'boolean') throw this.#fault(-1)
    return expected ? filter : { kind: 'not', part: filter }
  }

  #compared(target: Target): Filter {
    if (this.#takesWord('in')) return this.#alternatives(target)
    const name = this.#word()
    const operator = operators.get(name.toLowerCase())
    if (operator === undefined) throw unsupported(name)
    return this.#one(target, operator, this.#literal())
  }

  #alternatives(target: Target): Filter {
    this.#sign('(')
    const parts = [this.#one(target, 'eq', this.#literal())]
    while (this.#takesSign(',')) parts.push(this.#one(target, 'eq', this.#literal()))
    this.#sign(')')
    this.#requireFewAlternatives(parts.length)
    return combined('or', parts)
  }

  #requireFewAlternatives(count: number): void {
    const { maxAlternatives } = this.#limits
    if (count <= maxAlternatives) return
    throw refuse(
      'query_unsupported',
      `Too many child clauses specified in search filter expression containing 'OR' operators: ${count}. Max allowed: ${maxAlternatives}.`,
    )
  }

  #one(target: Target, operator: Comparison['operator'], literal: Literal): Comparison {
    const { maxComparisons } = this.#limits
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons)
      throw refuse(
        'query_unsupported',
        `Unsupported $filter: it must not have more than ${maxComparisons} comparisons.`,
      )
    return { kind: 'comparison', ...target, operator, literal, isQuoted: this.#isQuoted }
  }

  #plain(property: string): Target {
    if (this.#takesSign('/')) throw unsupported(`${property}/${this.#word()}`)
    return { property, member: undefined, isAny: false }
  }

  #literal(): Literal {
    const token = this.#token()
    if (token.kind === 'sign') throw this.#fault(-1)
    this.#isQuoted = token.kind === 'text'
    if (this.#isQuoted) return token.value
    // Any other word is a GUID or a time, which are compared as texts.
    const constant = constants.get(token.value.toLowerCase())
    return constant === undefined ? token.value : constant
  }

  #word(): string {
    const token = this.#token()
    if (token.kind !== 'word') throw this.#fault(-1)
    return token.value
  }

  #sign(value: string): void {
    if (!this.#takesSign(value)) throw this.#fault()
  }

  #takesSign(value: string): boolean {
    return this.#takes('sign', value)
  }

  #takesWord(value: string): boolean {
    return this.#takes('word', value)
  }

  #takes(kind: FilterToken['kind'], value: string): boolean {
    const token = this.#tokens[this.#next]
    const isNext = token?.kind === kind && token.value.toLowerCase() === value
    if (isNext) this.#next += 1
    return isNext
  }

  #token(): FilterToken {
    const token = this.#tokens[this.#next]
    if (token === undefined) throw this.#fault()
    this.#next += 1
    return token
  }

  #fault(offset = 0) {
    const { at = this.#text.length } = this.#tokens[this.#next + offset] ?? {}
    return syntaxError(this.#text, at)
  }
}

type Target = Pick<Comparison, 'property' | 'member' | 'isAny'>

const maxNameLength = 100

const unsupported = (name: string) =>
  refuse(
    'query_unsupported',
    `Unsupported $filter: '${name.slice(0, maxNameLength)}' is not supported. Use eq, ne, ge, le, in, startsWith and any, with and, or, not.`,
  )
