import { registrationsJsonSchema } from '../src/registrations-file.ts'

type Schema = {
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
}

const code = (value: unknown) => `\`${JSON.stringify(value)}\``

function kindOf(schema: Schema): string {
  const { type, format, title, items, minimum, maximum } = schema
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

/** A table for every object of the registrations file, by its title, as in the reference. */
export function schemaTables(schema: Schema = registrationsJsonSchema()): Map<string, string> {
  const tables = new Map([[schema.title ?? '', tableOf(schema)]])
  for (const property of Object.values(schema.properties ?? {})) {
    const inner = property.items ?? property
    if (inner.properties !== undefined)
      for (const [title, table] of schemaTables(inner)) tables.set(title, table)
  }
  return tables
}
