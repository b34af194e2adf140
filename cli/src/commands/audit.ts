import { InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { visibleText } from '../text/visible-text.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  openManagement,
  orCommandFailure,
} from './administrator-command.ts'
import {
  type AuditLogName,
  type AuditRecord,
  addAuditFilters,
  auditFilters,
  auditLogs,
  auditText,
  readAudit,
} from './audit-log.ts'

type Options = AdministratorCommandOptions & {
  readonly log?: AuditLogName
  /** The earlier name of `log`. */
  readonly since?: Date
  readonly until?: Date
  readonly limit: number
}

// The identity provider keeps at most this number of sign-ins.
const maxLimit = 1_000_000
const progressRecords = 1000

function limit(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > maxLimit)
    throw new InvalidArgumentError(`The limit must be a whole number from 1 to ${maxLimit}`)
  return Number(text)
}

/** `greeting audit`: shows the audit log and the sign-in log of the identity provider. */
export function addAuditCommand({ program, terminal }: CommandContext): void {
  const command = program
    .command('audit')
    .description(
      'show the audit log and the sign-in log of the identity provider, the latest record first',
    )
  administratorCommand(addAuditFilters(command))
    .addOption(
      new Option(
        '--log <log>',
        'log: directory for changes of registrations and keys, sign-ins for issued and refused tokens (default: both)',
      ).choices(Object.keys(auditLogs)),
    )
    .option('--limit <n>', 'maximum number of records', limit, 50)
    .action(async (options: Options) => {
      const { records, hasMore } = await read(terminal, options)
      if (!options.json)
        terminal.out(records.length > 0 ? auditText(records) : 'No matching records.\n')
      if (hasMore) terminal.err('There are earlier records. Use a higher --limit to show more.\n')
    })
}

/** Reads the records. With `--json`, prints each record immediately. */
async function read(terminal: Terminal, options: Options) {
  const { log, json, limit, since, until } = options
  if (since && until && since >= until)
    throw new CommandFailure('bad_usage', '--since must be earlier than --until')
  const audit = readAudit(await openManagement(terminal, options), {
    logs: log ? [log] : ['directory', 'sign-ins'],
    filters: auditFilters(options),
    // One more record shows whether there are more.
    limit: limit + 1,
  })
  const records: AuditRecord[] = []
  for (let count = 0; ; count += 1) {
    terminal.stop.throwIfAborted()
    const { value, done } = await orCommandFailure(audit.next())
    if (done || count === limit) return { records, hasMore: !done }
    if (json) terminal.out(`${visibleText(JSON.stringify(value))}\n`)
    else records.push(value)
    if (terminal.isInteractive && count > 0 && count % progressRecords === 0)
      terminal.err(`${count} records so far.\n`)
  }
}
