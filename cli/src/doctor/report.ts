import { CommandFailure, type ExitName } from '../exit-codes.ts'
import type { Colour, Paint } from '../terminal.ts'
import { visibleText } from '../text/visible-text.ts'
import { type Check, type CheckResult, right, warning, wrong } from './check-result.ts'
import { clientChecks, greetingChecks } from './client-checks.ts'
import type { Probes } from './probes.ts'
import { apiChecks, authorityChecks } from './server-checks.ts'

const settingsCheck: Check = {
  step: 'settings',
  run: ({ settings, isFileOpen }) => {
    if ('error' in settings) {
      const { error } = settings
      const remedy = error instanceof CommandFailure ? error.remedy : undefined
      return wrong('bad_usage', error.message, remedy ?? 'Fix these settings.')
    }
    const { file, credential } = settings.value
    const from = file ? `the environment and ${file}` : 'the environment'
    if (isFileOpen) {
      return warning(`other users can read ${file}, which contains a secret`, `chmod 600 ${file}`)
    }
    return right(`complete, from ${from}; the credential is ${credential.title}`)
  },
}

/** The checks, in the order in which a job needs them. */
const checks: readonly Check[] = [
  settingsCheck,
  ...authorityChecks,
  ...clientChecks,
  ...apiChecks,
  ...greetingChecks,
]

type NamedCheckResult = CheckResult & { readonly step: string }

/** Derives the result of each check from the facts. */
export function checkAll(facts: Probes): readonly NamedCheckResult[] {
  return checks.map(({ step, run }) => ({ step, ...run(facts) }))
}

/** The exit code of the first failed check. */
export function exitOf(results: readonly CheckResult[]): ExitName {
  const first = results.find(({ state }) => state === 'wrong')
  return first?.state === 'wrong' ? first.exit : 'done'
}

const marks: Readonly<Record<CheckResult['state'], readonly [string, Colour]>> = {
  right: ['ok', 'green'],
  warning: ['warn', 'yellow'],
  wrong: ['WRONG', 'red'],
  unknown: ['-', 'gray'],
}

/** A table for a person: each check, its result and its remedy. */
export function reportText(results: readonly NamedCheckResult[], paint: Paint): string {
  const width = Math.max(...results.map(({ step }) => step.length))
  const lines = results.flatMap((result) => {
    const [mark, colour] = marks[result.state]
    const line = `${paint(colour, mark.padEnd(5))}  ${result.step.padEnd(width)}  ${visibleText(result.detail)}`
    return 'remedy' in result
      ? [line, `${' '.repeat(width + 9)}${visibleText(result.remedy)}`]
      : [line]
  })
  return `${lines.join('\n')}\n`
}
