import { type Command, InvalidArgumentError, Option } from 'commander'
import { readAudit } from '../audit/audit-reader.ts'
import { type AuditBook, type AuditRecord, auditBooks } from '../audit/audit-record.ts'
import { auditText } from '../audit/audit-text.ts'
import { CommandFailure } from '../command-failure.ts'
import type { Terminal } from '../terminal.ts'
import { visibleText } from '../text/visible-text.ts'
import { type AdministratorCommandOptions, administratorCommand } from './administrator-command.ts'
import { addAuditFilters, auditFilters } from './audit-filters.ts'
import { openManagement, orCommandFailure } from './management.ts'

type Options = AdministratorCommandOptions & {
  readonly book?: AuditBook
  readonly since?: Date
  readonly until?: Date
  readonly limit: number
}

// More sign-ins than that are not kept.
const longestLimit = 1_000_000
const progressRecords = 1000

function limit(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > longestLimit)
    throw new InvalidArgumentError(`A limit is a whole number from 1 to ${longestLimit}.`)
  return Number(text)
}

/** `greeting audit`: who did what at the identity provider, and how it ended. */
export function addAuditCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('audit')
    .description('show who did what at the identity provider, and how it ended, the latest first')
  administratorCommand(addAuditFilters(command))
    .addOption(
      new Option(
        '--book <book>',
        'changes of registrations and keys, or tokens and all that was refused (default: both)',
      ).choices(Object.keys(auditBooks)),
    )
    .option('--limit <n>', 'how many records to show at most', limit, 50)
    .action(async (options: Options) => {
      const { records, hasMore } = await read(terminal, options)
      if (!options.json)
        terminal.out(records.length > 0 ? auditText(records) : 'The audit has no such record.\n')
      if (hasMore) terminal.err('There are earlier records: a higher --limit shows more.\n')
    })
}

/** Reads what the options ask for; as JSON, each record is printed as soon as it is there. */
async function read(terminal: Terminal, options: Options) {
  const { book, json, limit, since, until } = options
  if (since && until && since >= until)
    throw new CommandFailure('badUsage', 'The time of --since is not before that of --until.')
  const audit = readAudit(await openManagement(terminal, options), {
    books: book ? [book] : ['directory', 'sign-ins'],
    filters: auditFilters(options),
    // One more tells whether there is more.
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
