import type { CommandContext } from '../command-context.ts'
import { clientChecks, greetingChecks, missingRoles } from '../doctor/client-checks.ts'
import {
  type Check,
  type CheckResult,
  type Probes,
  right,
  runProbes,
  warning,
  wrong,
} from '../doctor/probes.ts'
import { apiChecks, authorityChecks } from '../doctor/server-checks.ts'
import { CommandFailure, type ExitName, exitCodes, SilentExit } from '../exit-codes.ts'
import type { Settings } from '../files/env-file.ts'
import { withCommand } from '../system/services.ts'
import type { Colour, Terminal } from '../terminal.ts'
import { shellQuote, visibleText, wrapped } from '../text/visible-text.ts'
import { type ClientCommandOptions, clientCommand } from './client/client-command.ts'
import { localSteps } from './registrations/explain.ts'

const settingsCheck: Check = {
  step: 'settings',
  run: ({ settings }) => {
    if ('error' in settings) {
      const { error } = settings
      const remedy = error instanceof CommandFailure ? error.remedy : undefined
      return wrong('bad_usage', error.message, remedy ?? 'Fix these settings.')
    }
    const { file, credential, isSecretOpen } = settings.value
    const from = file ? `the environment and ${file}` : 'the environment'
    if (file && isSecretOpen)
      return warning(
        `other users can read ${file}, which contains a secret`,
        `chmod 600 ${shellQuote(file)}`,
      )
    return right(`complete, from ${from}; the credential is ${credential.title}`)
  },
}

/** A row about the proxy of the environment, if there is one. */
function proxyChecks(environment: Settings): readonly Check[] {
  const { https_proxy: lower, HTTPS_PROXY: upper, NODE_USE_ENV_PROXY: isUsed } = environment
  const proxy = URL.parse(lower || upper || '')
  if (proxy === null) return []
  const detail =
    isUsed === '1'
      ? `requests to other machines pass ${proxy.origin}, unless NO_PROXY names them`
      : `${proxy.origin} is not used, because NODE_USE_ENV_PROXY is not 1`
  return [{ step: 'proxy', run: () => right(detail) }]
}

/** The checks after the settings, in the order in which a job needs them. */
const checks: readonly Check[] = [
  ...authorityChecks,
  ...clientChecks,
  ...apiChecks,
  ...greetingChecks,
]

type NamedCheckResult = CheckResult & { readonly step: string }

/** Derives the result of each check from the facts. */
function checkAll(
  facts: Probes,
  command: string,
  environment: Settings,
): readonly NamedCheckResult[] {
  return [settingsCheck, ...proxyChecks(environment), ...checks].map(({ step, run }) => {
    const result = run(facts)
    if (!('remedy' in result)) return { step, ...result }
    return { step, ...result, remedy: withCommand(result.remedy, command) }
  })
}

/** The exit code of the first failed check. */
function exitOf(results: readonly CheckResult[]): ExitName {
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
function reportText(results: readonly NamedCheckResult[], { paint, columns }: Terminal): string {
  const width = Math.max(...results.map(({ step }) => step.length))
  const indent = width + 9
  const cell = (text: string) => wrapped(visibleText(text).split(' '), indent, columns)
  const lines = results.flatMap((result) => {
    const [mark, colour] = marks[result.state]
    const line = `${paint(colour, mark.padEnd(5))}  ${result.step.padEnd(width)}  ${cell(result.detail)}`
    const more = result.state === 'wrong' ? result.more.map(visibleText) : []
    // A command that is divided into lines cannot be pasted.
    const below = 'remedy' in result ? [...result.remedy.split('\n').map(cell), ...more] : []
    return [line, ...below.map((text) => `${' '.repeat(indent)}${text}`)]
  })
  return `${lines.join('\n')}\n`
}

/** The facts, with the registration steps of roles that the token lacks. */
async function withSteps(facts: Probes, command: string, stop: AbortSignal): Promise<Probes> {
  const missing = missingRoles(facts)
  if ('error' in facts.settings || missing.length === 0) return facts
  return { ...facts, steps: await localSteps(missing, facts.settings.value, command, stop) }
}

/** `greeting doctor`: checks each step of a job, and reports the faults. */
export function addDoctorCommand({ program, terminal, services: { command } }: CommandContext) {
  return clientCommand(program.command('doctor'))
    .description('check each step of a job, and report what is wrong and how to fix it')
    .action(async (options: ClientCommandOptions) => {
      const { deadline, json } = options
      const facts = await runProbes(terminal.environment, options, deadline)
      const checks = checkAll(
        await withSteps(facts, command, terminal.stop),
        command,
        terminal.environment,
      )
      const exit = exitOf(checks)
      if (json) {
        const report = { healthy: exit === 'done', exitCode: exitCodes[exit].code, checks }
        terminal.out(`${JSON.stringify(report)}\n`)
      } else terminal.out(reportText(checks, terminal))
      if (exit !== 'done') throw new SilentExit(exit)
    })
}
