import { CommandFailure } from '../command-failure.ts'
import type { ExitName } from '../exit-codes.ts'
import type { Colour, Paint } from '../terminal.ts'
import { visibleText } from '../text/visible-text.ts'
import { type Check, type CheckResult, right, warning, wrong } from './check-result.ts'
import { clientChecks, greetingChecks } from './client-checks.ts'
import type { Probes } from './probes.ts'
import { apiChecks, authorityChecks } from './server-checks.ts'

const settingsCheck: Check = {
  step: 'settings',
  judge: ({ settings, isFileOpen }) => {
    if ('error' in settings) {
      const { error } = settings
      const mend = error instanceof CommandFailure ? error.remedy : undefined
      return wrong('badUsage', error.message, mend ?? 'Mend the settings that are named.')
    }
    const { file, credential } = settings.value
    const from = file ? `the environment and ${file}` : 'the environment'
    if (isFileOpen) {
      return warning(`others may read ${file}, which holds a secret`, `chmod 600 ${file}`)
    }
    return right(`all there, from ${from}; the credential is ${credential.title}`)
  },
}

/** The path that a job walks, step by step. */
export const checks: readonly Check[] = [
  settingsCheck,
  ...authorityChecks,
  ...clientChecks,
  ...apiChecks,
  ...greetingChecks,
]

export type Examined = CheckResult & { readonly step: string }

/** What the facts mean at each step. */
export function examine(facts: Probes): readonly Examined[] {
  return checks.map(({ step, judge }) => ({ step, ...judge(facts) }))
}

/** How the command ends: by the first thing that is wrong. */
export function exitOf(findings: readonly CheckResult[]): ExitName {
  const first = findings.find(({ state }) => state === 'wrong')
  return first?.state === 'wrong' ? first.exit : 'done'
}

const marks: Readonly<Record<CheckResult['state'], readonly [string, Colour]>> = {
  right: ['ok', 'green'],
  warning: ['warn', 'yellow'],
  wrong: ['WRONG', 'red'],
  unknown: ['-', 'gray'],
}

/** A table for a person: what is right or wrong at each step, and how to mend it. */
export function examinationText(findings: readonly Examined[], paint: Paint): string {
  const width = Math.max(...findings.map(({ step }) => step.length))
  const lines = findings.flatMap((finding) => {
    const [mark, colour] = marks[finding.state]
    const line = `${paint(colour, mark.padEnd(5))}  ${finding.step.padEnd(width)}  ${visibleText(finding.says)}`
    return 'mend' in finding
      ? [line, `${' '.repeat(width + 9)}${visibleText(finding.mend)}`]
      : [line]
  })
  return `${lines.join('\n')}\n`
}
