import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FaultParameter } from '@greeting/portal'
import { faultKinds } from '../src/faults/fault-rows.ts'
import { forgeryRows } from '../src/forge/forgeries.ts'
import type { ForgeryRow } from '../src/forge/forgery.ts'
import { Lab } from '../src/lab.ts'
import { labOperations, labPath } from '../src/lab-operations.ts'
import { misuseRules } from '../src/requests/judge.ts'

/** The tables of the reference page, by the name of their section. */
function labTables(): Readonly<Record<string, string>> {
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
      faultKinds.map(({ name, at, summary, parameters }) => [
        `\`${name}\``,
        at.join(', '),
        parameters.map(parameterText).join('; '),
        summary,
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

const parameterText = ({ name, initial, choices, minimum, maximum }: FaultParameter): string => {
  const range = choices?.join(', ') ?? `${minimum} to ${maximum}`
  return `\`${name}\`: ${range}${initial === undefined ? '' : `, default ${initial}`}`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The page of the lab with generated tables. */
function pageWithTables(page: string): string {
  let changed = page
  for (const [section, rows] of Object.entries(labTables())) {
    const start = changed.indexOf('\n|', changed.indexOf(`\n## ${section}\n`)) + 1
    const end = changed.indexOf('|\n\n', start)
    changed = `${changed.slice(0, start)}${rows}${changed.slice(end === -1 ? changed.length - 1 : end + 1)}`
  }
  return changed
}

export const file = 'docs/reference/lab.md'
export const text = pageWithTables(
  readFileSync(join(import.meta.dirname, '../../..', file), 'utf8'),
)
