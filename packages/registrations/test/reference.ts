import { pageMark } from '../../../test/fixtures/generated-files.ts'
import { registrationsJsonSchema } from '../src/registrations-file.ts'

type Schema = {
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}

const code = (value: unknown) => `\`${JSON.stringify(value)}\``

function kindOf(schema: Schema): string {
  const { anyOf, type, format, title, items, minimum, maximum } = schema
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(code).join(' or ')
  if (items !== undefined) return `list of ${items.title ?? kindOf(items)}`
  if (title !== undefined) return title
  if (format === 'uuid') return 'GUID'
  if (type === 'integer') return `${minimum} to ${maximum}`
  return { string: 'text', boolean: 'true or false', null: 'null' }[type ?? ''] ?? 'any'
}

function presence(name: string, { required = [] }: Schema, { default: value }: Schema): string {
  if (value !== undefined) return code(value)
  return required.includes(name) ? 'required' : ''
}

function tableOf(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `| \`${name}\` | ${kindOf(property)} | ${presence(name, schema, property)} | ${property.description ?? ''} |`,
  )
  return ['| property | value | when left out | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

/** A section for every object of the registrations file. */
function sections(schema: Schema, seen = new Set<string>()): string {
  const { title = '', description = '', properties = {} } = schema
  if (seen.has(title)) return ''
  seen.add(title)
  const inner = Object.values(properties)
    .map((property) => property.items ?? property)
    .filter((property) => property.properties !== undefined)
  return `\n## ${title}\n\n${description}\n\n${tableOf(schema)}\n${inner.map((one) => sections(one, seen)).join('')}`
}

/** The path of the generated page, from the root of the repository. */
export const file = 'docs/reference/registrations.md'

/** The generated text of the page. */
export const text = `${pageMark}
# Properties of the registrations file

[The guide](../guides/registrations.md) shows how to use the file.
${sections({ ...registrationsJsonSchema(), title: 'The file' })}`
