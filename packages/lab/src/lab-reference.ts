import type { FaultParameter } from '@greeting/portal'
import { faultKinds } from './faults/fault-rows.ts'
import { forgeryRows } from './forge/forgeries.ts'
import type { ForgeryRow } from './forge/forgery.ts'
import { Lab } from './lab.ts'
import { labOperations, labPath } from './lab-operations.ts'
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
