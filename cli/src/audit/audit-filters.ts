import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { durationMs } from '../text/time.ts'

type Row = {
  /** Parameter name of the management API. */
  readonly parameter: string
  readonly flags: string
  readonly description: string
  readonly configure: (option: Option) => Option
}

const timeOption = (option: Option) => option.argParser((text) => parseTime(text, Date.now()))
const textOption = (option: Option) =>
  option.argParser((text) => {
    if (text.trim() === '') throw new InvalidArgumentError('It must not be empty')
    return text
  })
const oneOf =
  (...choices: readonly string[]) =>
  (option: Option) =>
    option.choices(choices)

/** The filters. */
const rows: readonly Row[] = [
  {
    parameter: 'from',
    flags: '--since <time>',
    description: 'start time: 2026-01-31, 2026-01-31T12:00:00Z, or 6h for six hours ago',
    configure: timeOption,
  },
  {
    parameter: 'to',
    flags: '--until <time>',
    description: 'end time, exclusive',
    configure: timeOption,
  },
  {
    parameter: 'actor',
    flags: '--actor <id>',
    description: 'application ID of the client or administrator, or system',
    configure: textOption,
  },
  {
    parameter: 'action',
    flags: '--action <name>',
    description: 'action, such as token.issue or application.create',
    configure: textOption,
  },
  {
    parameter: 'target',
    flags: '--target <id>',
    description: 'ID of the changed object',
    configure: textOption,
  },
  {
    parameter: 'outcome',
    flags: '--outcome <outcome>',
    description: 'outcome',
    configure: oneOf('done', 'refused'),
  },
  {
    parameter: 'reason',
    flags: '--reason <code>',
    description: 'code of the refusal',
    configure: textOption,
  },
  {
    parameter: 'correlationId',
    flags: '--correlation-id <id>',
    description: 'correlation ID from the answer to the request',
    configure: textOption,
  },
  {
    parameter: 'tenantId',
    flags: '--tenant <id>',
    description: 'ID of the tenant',
    configure: textOption,
  },
]

const optionOf = ({ flags, description, configure }: Row) =>
  configure(new Option(flags, description))

/** Adds an option for each filter. */
export function addAuditFilters(command: Command): Command {
  for (const row of rows) command.addOption(optionOf(row))
  return command
}

/** The filters of the options, by the parameter names of the management API. */
export function auditFilters(options: object): Record<string, string> {
  const values = options as Readonly<Record<string, string | Date | undefined>>
  const named = rows.flatMap((row) => {
    const value = values[optionOf(row).attributeName()]
    if (value === undefined) return []
    return [[row.parameter, value instanceof Date ? value.toISOString() : value]]
  })
  return Object.fromEntries(named)
}

const isoTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

/**
 * Parses a date in UTC, a time with its zone, or the age of a time such as 6h.
 *
 * @throws {InvalidArgumentError} commander.invalidArgument when it is none of them.
 */
export function parseTime(text: string, nowMs: number): Date {
  if (isoTime.safeParse(text).success) return new Date(text)
  try {
    return new Date(nowMs - durationMs(text))
  } catch {
    throw new InvalidArgumentError(
      'The time must have a form like 2026-01-31 or 2026-01-31T12:00:00Z, or be an age such as 30m, 6h or 7d (at most 24d)',
    )
  }
}
