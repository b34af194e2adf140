import { defaultRequestsInFlight } from '@greeting/registrations/apply'
import type { PaintLine } from '@greeting/registrations/planning'
import { type Command, InvalidArgumentError } from 'commander'
import { ProgressReport } from '../../registrations/progress-report.ts'
import { RegistrationsSession } from '../../registrations/session.ts'
import type { Colour, Terminal } from '../../terminal.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  readAdministrator,
} from '../administrator-command.ts'

const maxRequestsInFlight = 64

/** The options of a command that reads or changes many registrations. */
export type RegistrationsCommandOptions = AdministratorCommandOptions & {
  readonly requestsInFlight?: number
  readonly quiet?: true
}

/** A session, and the report of its progress. */
type OpenSession = {
  readonly session: RegistrationsSession
  readonly progress: ProgressReport
}

function requests(text: string): number {
  const number = Number(text)
  if (
    String(number) !== text ||
    !Number.isInteger(number) ||
    number < 1 ||
    number > maxRequestsInFlight
  )
    throw new InvalidArgumentError(
      `The number of requests must be a whole number from 1 to ${maxRequestsInFlight}`,
    )
  return number
}

/** Adds the options of a command that reads or changes many registrations. */
export function registrationsCommand(command: Command): Command {
  return administratorCommand(command)
    .option(
      '--requests-in-flight <n>',
      `requests to the directory at a time, from 1 to ${maxRequestsInFlight}`,
      requests,
      defaultRequestsInFlight,
    )
    .option('--quiet', 'print no progress')
}

/** Opens the directory as the administrator of the settings. */
export async function openSession(
  terminal: Terminal,
  options: RegistrationsCommandOptions,
): Promise<OpenSession> {
  const { json, quiet, requestsInFlight } = options
  const monotonicMs = () => performance.now()
  const progress = new ProgressReport(terminal, { json, quiet, monotonicMs })
  const session = new RegistrationsSession(await readAdministrator(terminal, options), {
    stop: terminal.stop,
    onProgress: progress.update,
    onWait: progress.wait,
    ...(requestsInFlight !== undefined && { maxRequestsInFlight: requestsInFlight }),
  })
  return { session, progress }
}

const colours = { '+': 'green', '-': 'red', '~': 'yellow' } as const satisfies Record<
  string,
  Colour
>

/** Colours lines of a diff if colours are enabled. */
export const paintOf =
  ({ paint }: Terminal): PaintLine =>
  (sign, text) =>
    paint(colours[sign], text)
