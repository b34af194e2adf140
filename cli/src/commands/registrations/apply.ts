import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandFailure } from '../../command-failure.ts'
import { appliedText, secretLines } from '../../registrations/applied-text.ts'
import type { RegistrationsFile } from '../../registrations/file/registrations-file.ts'
import type { Applied } from '../../registrations/graph/apply.ts'
import { loadFile } from '../../registrations/load-file.ts'
import type { Plan } from '../../registrations/planning/plan.ts'
import { diffOf, planText } from '../../registrations/planning/plan-text.ts'
import { refusalFailure } from '../../registrations/refusal-failure.ts'
import { SecretFiles, SecretsInHand, secretFileName } from '../../registrations/secret-files.ts'
import type { RegistrationsSession } from '../../registrations/session.ts'
import type { Terminal } from '../../terminal.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { openSession } from './open-session.ts'
import { paintOf } from './paint-of.ts'

type Options = AdministratorCommandOptions & {
  readonly yes?: true
  readonly rotate?: readonly string[]
  readonly secretsFile?: string
}

/** `greeting registrations apply`: does what `plan` shows. */
export function addApplyCommand(registrations: Command, terminal: Terminal): void {
  administratorCommand(registrations.command('apply'))
    .description('change the directory until it is as the file says')
    .argument('<file>', 'registrations file')
    .option('--yes', 'do not ask before something is taken away or replaced')
    .option('--rotate <client...>', 'make new secrets for these clients, due or not')
    .option(
      '--secrets-file <path>',
      'file for the new secret, or - to print it once (default: secrets/<client>.env in the data folder)',
    )
    .action(async (path: string, options: Options) => {
      const session = await openSession(terminal, options)
      const loaded = await loadFile(path)
      const plan = await session.plan(loaded, rotated(loaded.file, options.rotate))
      if (!options.json) terminal.out(planText(plan, paintOf(terminal)))
      if (plan.faults.length > 0)
        throw new CommandFailure('failed', `${path} cannot be applied: ${plan.faults.join(' ')}`)
      await demandConsent(plan, options, terminal)

      const secrets = sinkFor(options, session, loaded.file)
      const applied = await session.apply(plan, secrets)
      report(applied, secrets, options, terminal)
      if (applied.stopped) throw refusalFailure(applied.stopped.error)
      if (plan.steps.length > 0 && !(await session.settle(loaded)))
        terminal.err(
          'All is done, but the directory does not show it yet: wait before the next run.\n',
        )
    })
}

function rotated({ clients }: RegistrationsFile, names: readonly string[] = []): Set<string> {
  for (const name of names)
    if (
      !clients.some(({ displayName, secrets = [] }) => displayName === name && secrets.length > 0)
    )
      throw new CommandFailure('badUsage', `No client with secrets is named "${name}" in the file.`)
  return new Set(names)
}

/** Nothing is taken away from anybody unless a person, or --yes, says so. */
async function demandConsent({ steps }: Plan, { yes }: Options, terminal: Terminal): Promise<void> {
  const destructive = steps.filter((step) => step.destructive)
  if (yes || destructive.length === 0) return
  const lines = destructive.flatMap((step) => diffOf(step)).join('\n')
  if (terminal.ask === undefined) {
    const message = `This takes away or replaces something, and nobody is here to be asked:\n${lines}`
    const remedy = 'Nothing was changed. Say --yes if that is meant.'
    throw new CommandFailure('badUsage', message, { remedy })
  }
  const answer = await terminal.ask(
    `This takes away or replaces something:\n${lines}\nDo it? (yes or no) `,
  )
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('failed', 'Nothing was changed.')
}

function sinkFor(
  { dataDir, secretsFile }: Options,
  { settings }: RegistrationsSession,
  { clients }: RegistrationsFile,
): SecretFiles | SecretsInHand {
  if (secretsFile === '-') return new SecretsInHand()
  const { AUTH_URL, TENANT_ID } = settings
  const several = clients.filter(({ secrets = [] }) => secrets.length > 1)
  const hasSeveral = new Set(several.map(({ displayName }) => displayName))
  return new SecretFiles({
    fileOf: ({ client, secret }) =>
      secretsFile === undefined
        ? join(
            dataDir,
            'secrets',
            secretFileName(client, ...(hasSeveral.has(client) ? [secret] : [])),
          )
        : resolve(secretsFile),
    settings: { AUTH_URL, TENANT_ID },
  })
}

function report(
  applied: Applied,
  sink: SecretFiles | SecretsInHand,
  { json }: Options,
  { out }: Terminal,
): void {
  const secrets = sink instanceof SecretFiles ? sink.kept : sink.secrets
  if (json) {
    const { done, stopped, left } = applied
    out(`${JSON.stringify({ done, ...(stopped && { stopped: stopped.step }), left, secrets })}\n`)
  } else if (applied.done.length > 0 || applied.stopped) {
    out(`\n${appliedText(applied)}${secretLines(secrets)}`)
  }
}
