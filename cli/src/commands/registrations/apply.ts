import { callersOf, entriesWithoutId, type RegistrationsFile } from '@greeting/registrations'
import type { Applied, NewSecret, SecretName } from '@greeting/registrations/apply'
import { day } from '@greeting/registrations/directory'
import {
  adoptionLine,
  type Change,
  diffOf,
  type Plan,
  planText,
} from '@greeting/registrations/planning'
import type { Command } from 'commander'
import { refusalFailure } from '../../administrator/refusal-failure.ts'
import { CommandFailure } from '../../exit-codes.ts'
import { envLine } from '../../files/env-file.ts'
import {
  type LoadedFile,
  loadFile,
  registrationsIn,
  writeIds,
} from '../../registrations/load-file.ts'
import {
  fileOfSecret,
  type KeptSecret,
  MemorySecrets,
  SecretFiles,
} from '../../registrations/secret-files.ts'
import type { RegistrationsSession } from '../../registrations/session.ts'
import { lockApply, openJournal } from '../../system/apply-journal.ts'
import type { Terminal } from '../../terminal.ts'
import { visibleText } from '../../text/visible-text.ts'
import { requireYes } from '../administrator-command.ts'
import {
  openSession,
  paintOf,
  type RegistrationsCommandOptions,
  registrationsCommand,
} from './open-session.ts'

/**
 * Asks for confirmation of each application that was found only by a name. `--yes` does not answer
 * this: an attacker may have created the application.
 *
 * @throws {CommandFailure} bad_usage without a terminal; failed when the answer is no.
 */
async function confirmAdoptions(
  { adoptions }: Plan,
  path: string,
  { ask }: Terminal,
): Promise<void> {
  if (ask === undefined && adoptions.length > 0) {
    // All at once: after an interrupted run, several applications may lack their IDs in the file.
    const subject =
      adoptions.length === 1
        ? `An application was found by its ${adoptions[0]?.foundBy}`
        : `${adoptions.length} applications were found by a name`
    const lines = adoptions.map(adoptionLine).join('\n')
    const entries = adoptions.map(
      ({ application, applicationId }) =>
        `"applicationId": "${applicationId}" to the entry "${application}"`,
    )
    const which = adoptions.length === 1 ? 'If this is the right application' : 'For each right one'
    throw new CommandFailure(
      'bad_usage',
      `${subject} only, and confirmation needs a terminal:\n${lines}`,
      {
        remedy: `Nothing was changed. ${which}, add ${entries.join(', ')} of ${path}. --yes does not cover this.`,
      },
    )
  }
  for (const adoption of adoptions)
    await requireYes(
      ask as NonNullable<typeof ask>,
      `${adoptionLine(adoption)}\nEvery user who can create applications can choose this ${adoption.foundBy}.\nIs this the right application? (yes or no) `,
    )
}

/** Asks before changes that remove something, unless `--yes` is set. */
async function confirmLosses(
  { changes }: Plan,
  yes: true | undefined,
  { ask }: Terminal,
): Promise<void> {
  const destructive = changes.filter((change) => change.destructive)
  if (yes || destructive.length === 0) return
  const lines = destructive.flatMap((change) => diffOf(change)).join('\n')
  if (ask === undefined) {
    const message = `These changes remove or replace something, and confirmation needs a terminal:\n${lines}`
    const remedy = 'Nothing was changed. Use --yes to confirm.'
    throw new CommandFailure('bad_usage', message, { remedy })
  }
  await requireYes(
    ask,
    `These changes remove or replace something:\n${lines}\nApply them? (yes or no) `,
  )
}

type Options = RegistrationsCommandOptions & {
  readonly yes?: true
  readonly rotate?: readonly string[]
  readonly secretsFile?: string
  readonly writeIds?: true
}

/** `greeting registrations apply`: makes the changes that `plan` shows. */
export function addApplyCommand(registrations: Command, terminal: Terminal): void {
  registrationsCommand(registrations.command('apply'))
    .description('apply the file to the directory')
    .argument('<file>', 'registrations file')
    .option('--yes', 'do not ask before removals and replacements')
    .option('--rotate <client...>', 'create new secrets for these clients now')
    .option(
      '--secrets-file <path>',
      'file for the new secret, or - to print it (default: secrets/<client>.env in the data folder)',
    )
    .option('--write-ids', 'write the application IDs into the file')
    .action(async (path: string, options: Options) => {
      const { session, progress } = await openSession(terminal, options)
      const loaded = await loadFile(path)
      progress.begin(path, registrationsIn(loaded.file))
      const { TENANT_ID } = session.settings
      using _lock = await lockApply(options.dataDir)
      const journal = await openJournal(options.dataDir, loaded, TENANT_ID)
      const plan = await session.plan(loaded, {
        rotate: rotated(loaded.file, options.rotate),
        writesIds: options.writeIds === true,
        resume: journal.resume,
      })
      progress.end()
      if (plan.faults.length > 0)
        throw new CommandFailure('failed', `${path} cannot be applied: ${plan.faults.join(' ')}`)
      if (!options.json) terminal.out(planText(plan, paintOf(terminal)))
      await confirmAdoptions(plan, path, terminal)
      const taken = [...plan.adoptions.map((one) => one.applicationId), ...journal.created]
      for (const id of taken) await journal.record.add(id)
      await confirmLosses(plan, options.yes, terminal)

      const secrets = sinkFor(options, session, loaded.file)
      const applying = journal.optionsFor(plan, options.secretsFile)
      const applied = await session.apply(plan, secrets, applying)
      progress.end()
      const isWritten = options.writeIds && (await writeIds(path, applied.applicationIds))
      report(applied, secrets, options, terminal)
      if (isWritten) terminal.err(`Wrote the application IDs to ${path}.\n`)
      else if (!options.json) terminal.out(newIdLines(applied, taken, loaded))
      if (secrets instanceof SecretFiles)
        await secrets.keepAgentIds(loaded.file, applied.applicationIds)
      if (applied.stopped) throw refusalFailure(applied.stopped.error)
      if (applied.isInterrupted) throw interruption(applied, plan, terminal)
      if (plan.changes.length > 0 && !(await session.waitUntilVisible(loaded, applied)))
        terminal.err(
          'All changes are done, but the directory does not show them yet. Wait before the next run.\n',
        )
      else await journal.end()
      progress.end()
    })
}

function rotated(file: RegistrationsFile, names: readonly string[] = []): Set<string> {
  const clients = callersOf(file)
  for (const name of names)
    if (
      !clients.some(({ displayName, secrets = [] }) => displayName === name && secrets.length > 0)
    )
      throw new CommandFailure('bad_usage', `The file has no client "${name}" with secrets`)
  return new Set(names)
}

function sinkFor(
  { dataDir, secretsFile }: Options,
  { settings }: RegistrationsSession,
  file: RegistrationsFile,
): SecretFiles | MemorySecrets {
  if (secretsFile === '-') return new MemorySecrets()
  const { AUTH_URL, TENANT_ID } = settings
  return new SecretFiles({
    fileOf: fileOfSecret(dataDir, file, secretsFile),
    settings: { AUTH_URL, TENANT_ID },
    hasScope: true,
  })
}

function report(
  applied: Applied,
  sink: SecretFiles | MemorySecrets,
  { json }: Options,
  { out }: Terminal,
): void {
  const kept: readonly (KeptSecret | NewSecret)[] =
    sink instanceof SecretFiles ? sink.kept : sink.secrets
  const secrets = inOrder(kept, applied.done)
  if (json) {
    const { done, stopped, alsoRefused, left } = applied
    const refusedToo = alsoRefused.map(({ change }) => change)
    const applicationIds = Object.fromEntries(applied.applicationIds)
    out(
      `${JSON.stringify({ done, ...(stopped && { stopped: stopped.change }), ...(refusedToo.length > 0 && { alsoRefused: refusedToo }), left, secrets, applicationIds })}\n`,
    )
  } else if (applied.done.length > 0 || applied.stopped || applied.isInterrupted) {
    out(`\n${appliedText(applied)}${secretLines(secrets)}`)
  }
}

/** Secrets are stored in the order in which their requests end. The order of the plan is easier to read. */
function inOrder<One extends SecretName>(
  secrets: readonly One[],
  changes: readonly Change[],
): One[] {
  const positions = new Map(changes.map(({ application }, index) => [application, index]))
  return secrets.toSorted(
    (one, other) => (positions.get(one.client) ?? 0) - (positions.get(other.client) ?? 0),
  )
}

function interruption({ done }: Applied, { changes }: Plan, { stop }: Terminal): CommandFailure {
  const { reason } = stop
  const exit = reason instanceof CommandFailure ? reason.exit : 'failed'
  const why = reason instanceof Error ? reason.message : String(reason)
  const message = `${why} ${done.length} of ${changes.length} changes are done.`
  const remedy = 'Completed changes stay. Apply the file again to continue.'
  return new CommandFailure(exit, message, { cause: reason, remedy })
}

function newIdLines(
  { done, applicationIds }: Applied,
  taken: readonly string[],
  { file }: LoadedFile,
): string {
  const created = done.filter(({ kind }) => /^create(?:Application|Agent)$/.test(kind))
  const isNew = new Set(created.map(({ application }) => application))
  const known = [...applicationIds].filter(([name, id]) => isNew.has(name) || taken.includes(id))
  return idLines(file, new Map(known))
}

/** The result of a run for people: the completed changes, and those not attempted. */
function appliedText({ done, stopped, alsoRefused, left }: Applied): string {
  if (left.length === 0 && stopped === undefined) return 'Done: the directory matches the file.\n'
  const refused = [...(stopped ? [stopped] : []), ...alsoRefused].map(({ change }) => change)
  return [
    ...section('Done:', done),
    ...section('Refused:', refused),
    ...section('Not attempted:', left),
    '',
  ].join('\n')
}

/** The files of new secrets, or the secrets themselves if they have no file. */
export const secretLines = (secrets: readonly (KeptSecret | NewSecret)[]): string =>
  secrets
    .map((one) => {
      const what = `secret "${one.secret}" of "${one.client}", valid until ${day(one.endDateTime)}`
      return 'file' in one
        ? `The ${what}, is in ${one.file}\n`
        : `# ${visibleText(`The ${what}`)}. It is not shown again\n${envLine('CLIENT_ID', one.clientId)}${envLine('CLIENT_SECRET', one.secretText)}`
    })
    .join('')

/** The IDs of new applications, for the file. Empty if the file has them all. */
function idLines(file: RegistrationsFile, applicationIds: ReadonlyMap<string, string>): string {
  const names = entriesWithoutId(file, applicationIds)
  if (names.length === 0) return ''
  return [
    'Add these IDs to the file, or use --write-ids. Other machines need them.',
    ...names.map((name) => `  "applicationId": "${applicationIds.get(name)}" for "${name}"`),
    '',
  ].join('\n')
}

const section = (title: string, changes: readonly Change[]) =>
  changes.length === 0 ? [] : [title, ...changes.flatMap((change) => diffOf(change))]
