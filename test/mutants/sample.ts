import { createHash } from 'node:crypto'
import { parseAst } from 'rolldown/parseAst'

/** One small change to a source file that a test should detect. */
export type SampledMutant = {
  /** Eight hexadecimal digits of the seed, the statement and the change: a move of the code keeps them. */
  readonly id: string
  /** The changed expression and its replacement, on one line. */
  readonly change: string
  /** The whole source with the change. */
  readonly source: string
}

type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}
type Text = (node: unknown) => string
type Replace = (node: Node, text: Text) => readonly string[]

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
}
const counterparts: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
}
const droppedCalls = new Set(
  'filter flatMap map slice sort toLowerCase toSorted toUpperCase trim'.split(' '),
)
const nameOf = (node: unknown) => (node as Node | undefined)?.name as string

/** For each type of node, the texts that replace it. */
const replacements: Readonly<Record<string, Replace>> = {
  IfStatement: ({ test, consequent, alternate }, text) => {
    const rest = `${text(consequent)}${alternate ? ` else ${text(alternate)}` : ''}`
    return ['false', `!(${text(test)})`].map((condition) => `if (${condition}) ${rest}`)
  },
  ConditionalExpression: ({ consequent, alternate, test }, text) => [
    `(${text(test)} ? ${text(alternate)} : ${text(consequent)})`,
  ],
  LogicalExpression: ({ left, operator, right }, text) =>
    operator === '??'
      ? [`(${text(left)})`]
      : [`((${text(left)}) ${operator === '&&' ? '||' : '&&'} (${text(right)}))`],
  BinaryExpression: ({ left, operator, right }, text) => {
    const other = operators[operator as string]
    const joinsTexts = operator === '+' && /['`]/.test(text(left) + text(right))
    return other === undefined || joinsTexts ? [] : [`${text(left)} ${other} ${text(right)}`]
  },
  UnaryExpression: ({ argument, operator }, text) =>
    operator === '!' ? [`(${text(argument)})`] : [],
  ExpressionStatement: () => [';'],
  ArrayExpression: ({ elements }) => ((elements as unknown[]).length === 0 ? [] : ['[]']),
  CallExpression: (node, text) => {
    const callee = node.callee as Node
    if (callee.type !== 'MemberExpression' || callee.computed === true) return []
    const method = nameOf(callee.property)
    if (droppedCalls.has(method)) return [text(callee.object)]
    const other = counterparts[method]
    const called = text(node).slice((callee.property as Node).end - node.start)
    return other === undefined ? [] : [`${text(callee.object)}.${other}${called}`]
  },
  Literal: ({ value }) => {
    if (typeof value === 'number') return [String(value + 1)]
    if (typeof value === 'boolean') return [String(!value)]
    return typeof value === 'string' && value !== '' && !value.includes(' ') ? ["''"] : []
  },
}

const passed = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
/** Imports, types and the messages of errors that are thrown: their mutants say nothing. */
const isSkipped = (type: string) =>
  /^(Import|Export.*(All|Specifier)|ThrowStatement)/.test(type) ||
  (type.startsWith('TS') && !passed.has(type))

/**
 * Selects mutants of a source file by their content.
 *
 * @param share the chosen part of all mutants, from 0 to 1
 */
export function sampleMutants(code: string, share: number, seed: string): readonly SampledMutant[] {
  const mutants: SampledMutant[] = []
  const onLine = (text: string) => text.replaceAll(/\s+/g, ' ')
  const text: Text = (node) => code.slice((node as Node).start, (node as Node).end)
  const seen = new Map<string, number>()
  const visit = (value: unknown, statement: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, statement)
    const node = value as Node | null
    if (typeof node?.type !== 'string' || isSkipped(node.type)) return
    const within = /Statement|Declarat/.test(node.type) ? text(node).slice(0, 400) : statement
    for (const replacement of replacements[node.type]?.(node, text) ?? []) {
      const change = onLine(`${text(node)} -> ${replacement}`)
      const content = `${seed}\n${onLine(within)}\n${change}`
      const occurrence = seen.get(content) ?? 0
      seen.set(content, occurrence + 1)
      const id = createHash('sha256').update(`${content}\n${occurrence}`).digest('hex').slice(0, 8)
      if (Number.parseInt(id, 16) >= share * 2 ** 32) continue
      const source = code.slice(0, node.start) + replacement + code.slice(node.end)
      mutants.push({ id, change, source })
    }
    for (const [name, child] of Object.entries(node)) {
      // The name of a property is no value.
      if (name === 'key' && node.computed !== true) continue
      if (typeof child === 'object') visit(child, within)
    }
  }
  visit(parseAst(code, { lang: 'ts' }), '')
  return mutants
}
