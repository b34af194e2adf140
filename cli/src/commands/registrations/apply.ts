import { join, resolve } from 'node:path'
import type { RegistrationsFile } from '@greeting/registrations'
import type { Command } from 'commander'
import { refusalFailure } from '../../administrator/refusal-failure.ts'
import { CommandFailure } from '../../command-failure.ts'
import { appliedText, idLines, secretLines } from '../../registrations/applied-text.ts'
import type { Applied } from '../../registrations/apply/apply.ts'
import { type LoadedFile, loadFile, writeIds } from '../../registrations/load-file.ts'
import type { Plan } from '../../registrations/planning/plan.ts'
import { planText } from '../../registrations/planning/plan-text.ts'
import { SecretFiles, SecretsInHand, secretFileName } from '../../registrations/secret-files.ts'
import type { RegistrationsSession } from '../../registrations/session.ts'
import { RegisteredApplications } from '../../system/registered-applications.ts'
import type { Terminal } from '../../terminal.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { openSession } from './open-session.ts'
import { paintOf } from './paint-of.ts'
import { confirmAdoptions, confirmLosses } from './questions.ts'

type Options = AdministratorCommandOptions & {
  readonly yes?: true
  readonly rotate?: readonly string[]
  readonly secretsFile?: string
  readonly writeIds?: true
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
    .option('--write-ids', 'write the ids of the applications into the file')
    .action(async (path: string, options: Options) => {
      const session = await openSession(terminal, options)
      const loaded = await loadFile(path)
      const record = new RegisteredApplications(options.dataDir)
      const keep = recorderOf(record, terminal)
      const plan = await session.plan(loaded, {
        rotate: rotated(loaded.file, options.rotate),
        confirmed: await record.read(),
        writesIds: options.writeIds === true,
      })
      if (!options.json) terminal.out(planText(plan, paintOf(terminal)))
      if (plan.faults.length > 0)
        throw new CommandFailure('failed', `${path} cannot be applied: ${plan.faults.join(' ')}`)
      await confirmAdoptions(plan, path, terminal)
      for (const { applicationId } of plan.adoptions) await keep(applicationId)
      await confirmLosses(plan, options.yes, terminal)

      const secrets = sinkFor(options, session, loaded.file)
      const applied = await session.apply(plan, secrets, keep)
      const isWritten = options.writeIds && (await writeIds(path, applied.applicationIds))
      report(applied, secrets, options, terminal)
      if (isWritten) terminal.err(`The application ids are in ${path} now.\n`)
      else if (!options.json) terminal.out(newIdLines(applied, plan, loaded))
      if (applied.stopped) throw refusalFailure(applied.stopped.error)
      if (plan.steps.length > 0 && !(await session.settle(loaded, applied)))
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
    const applicationIds = Object.fromEntries(applied.applicationIds)
    out(
      `${JSON.stringify({ done, ...(stopped && { stopped: stopped.step }), left, secrets, applicationIds })}\n`,
    )
  } else if (applied.done.length > 0 || applied.stopped) {
    out(`\n${appliedText(applied)}${secretLines(secrets)}`)
  }
}

/** Records what this run registers; without the record, the next run asks or needs the ids. */
const recorderOf =
  (record: RegisteredApplications, { err }: Terminal) =>
  (applicationId: string) =>
    record.add(applicationId).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      err(`The application id ${applicationId} could not be recorded: ${reason}.\n`)
    })

function newIdLines(
  { done, applicationIds }: Applied,
  { adoptions }: Plan,
  { file }: LoadedFile,
): string {
  const created = done.filter(({ kind }) => kind === 'createApplication')
  const isNew = new Set([...created, ...adoptions].map(({ application }) => application))
  const known = [...applicationIds].filter(([name]) => isNew.has(name))
  return idLines(file, new Map(known))
}
