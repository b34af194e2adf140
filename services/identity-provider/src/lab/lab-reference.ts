import { z } from 'zod'
import type { Endpoint } from './faults/endpoint.ts'
import { type FaultRow, faultRows } from './faults/fault-rows.ts'
import { forgeryRows } from './forge/forgeries.ts'
import type { ForgeryRow } from './forge/forgery.ts'
import { labOperations, labPath } from './http/lab-operations.ts'
import { Lab } from './lab.ts'
import { misuseRules } from './requests/judge.ts'

/** The tables of the reference page, by the name of their section. */
export function labTables(): Readonly<Record<string, string>> {
  return {
    Operations: table(
      ['operation', 'effect'],
      labOperations(new Lab()).map(({ method, path, summary }) => [
        `\`${method} ${labPath}${path}\``,
        summary,
      ]),
    ),
    Faults: table(
      ['fault', 'at', 'parameters', 'effect'],
      Object.entries(faultRows).map(([name, row]: [string, FaultRow<Endpoint, z.ZodRawShape>]) => [
        `\`${name}\``,
        row.at.join(', '),
        parametersText(row.parameters),
        row.summary,
      ]),
    ),
    Forgeries: table(
      ['token', 'why an API must refuse it', 'section'],
      Object.entries(forgeryRows).map(([name, { reason, section }]: [string, ForgeryRow]) => [
        `\`${name}\``,
        reason,
        section,
      ]),
    ),
    Misuses: table(
      ['rule', 'the rule that a client broke'],
      misuseRules.map(({ rule, summary }) => [`\`${rule}\``, summary]),
    ),
  }
}

type Property = {
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
}

function parametersText(schema: z.ZodObject): string {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties as Readonly<Record<string, Property>>)
    .map(([name, { default: initial, enum: values, minimum, maximum }]) => {
      const range = values?.join(', ') ?? `${minimum} to ${maximum}`
      return `\`${name}\`: ${range}${initial === undefined ? '' : `, default ${initial}`}`
    })
    .join('; ')
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
