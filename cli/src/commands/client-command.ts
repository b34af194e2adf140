import { type Command, InvalidArgumentError } from 'commander'
import { defaultSettingsFile } from '../client/client-settings.ts'

export type ClientCommandOptions = {
  /** The file of settings, when the person names one. */
  readonly settings?: string
  /** Milliseconds, though a person gives seconds. */
  readonly deadline: number
  readonly json?: true
}

const longestDeadlineSeconds = 600

function deadlineMs(text: string): number {
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= longestDeadlineSeconds)) {
    throw new InvalidArgumentError(
      'A deadline is a number of seconds, more than 0 and at most 600.',
    )
  }
  return Math.ceil(seconds * 1000)
}

/** Adds what every command of the client understands. */
export function clientCommand(command: Command): Command {
  return command
    .option(
      '--settings <path>',
      `file of settings, read for those that the environment does not set (default: ${defaultSettingsFile}, if it is there)`,
    )
    .addOption(
      command
        .createOption('--deadline <seconds>', 'how long to try before giving up')
        .argParser(deadlineMs)
        .default(10_000, '10'),
    )
    .option('--json', 'print JSON, failures included')
}
