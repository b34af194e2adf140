import { type Command, InvalidArgumentError, Option } from 'commander'
import { momentOf } from '../text/moment.ts'

type Row = {
  /** What the management API calls it. */
  readonly parameter: string
  readonly flags: string
  readonly description: string
  readonly demand: (option: Option) => Option
}

const aMoment = (option: Option) => option.argParser((text) => momentOf(text, Date.now()))
const aText = (option: Option) =>
  option.argParser((text) => {
    if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
    return text
  })
const oneOf =
  (...choices: readonly string[]) =>
  (option: Option) =>
    option.choices(choices)

/** What records of the audit can be asked for by. */
const rows: readonly Row[] = [
  {
    parameter: 'from',
    flags: '--since <time>',
    description: 'not before this time: 2026-01-31, 2026-01-31T12:00:00Z, or 6h for six hours ago',
    demand: aMoment,
  },
  {
    parameter: 'to',
    flags: '--until <time>',
    description: 'before this time',
    demand: aMoment,
  },
  {
    parameter: 'actor',
    flags: '--actor <id>',
    description: 'application id of who acted, or system',
    demand: aText,
  },
  {
    parameter: 'action',
    flags: '--action <name>',
    description: 'what was done, such as token.issue or application.create',
    demand: aText,
  },
  {
    parameter: 'target',
    flags: '--target <id>',
    description: 'id of the object that it was done to',
    demand: aText,
  },
  {
    parameter: 'outcome',
    flags: '--outcome <outcome>',
    description: 'how it ended',
    demand: oneOf('done', 'refused'),
  },
  {
    parameter: 'reason',
    flags: '--reason <code>',
    description: 'why it was refused',
    demand: aText,
  },
  {
    parameter: 'correlationId',
    flags: '--correlation-id <id>',
    description: 'the request, as the answer to it said',
    demand: aText,
  },
  {
    parameter: 'tenantId',
    flags: '--tenant <id>',
    description: 'id of the tenant in which it happened',
    demand: aText,
  },
]

const optionOf = ({ flags, description, demand }: Row) => demand(new Option(flags, description))

/** Adds an option for everything that records can be asked for by. */
export function addAuditFilters(command: Command): Command {
  for (const row of rows) command.addOption(optionOf(row))
  return command
}

/** What the options ask for, by the names that the management API gives it. */
export function auditFilters(options: object): Record<string, string> {
  const given = options as Readonly<Record<string, string | Date | undefined>>
  const named = rows.flatMap((row) => {
    const value = given[optionOf(row).attributeName()]
    if (value === undefined) return []
    return [[row.parameter, value instanceof Date ? value.toISOString() : value]]
  })
  return Object.fromEntries(named)
}
