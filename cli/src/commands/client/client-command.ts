import { type Command, InvalidArgumentError } from 'commander'
import { defaultSettingsFile } from '../../client/client-settings.ts'

export type ClientCommandOptions = {
  /** The settings file that the person named. */
  readonly settings?: string
  /** In milliseconds. The option is in seconds. */
  readonly deadline: number
  readonly json?: true
}

const maxDeadlineSeconds = 600

function deadlineMs(text: string): number {
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= maxDeadlineSeconds)) {
    throw new InvalidArgumentError(
      'The deadline must be a number of seconds, greater than 0 and at most 600.',
    )
  }
  return Math.ceil(seconds * 1000)
}

/** Adds the options of every client command. */
export function clientCommand(command: Command): Command {
  return command
    .option(
      '--settings <path>',
      `settings file for settings that the environment does not set (default: ${defaultSettingsFile}, if it exists)`,
    )
    .addOption(
      command
        .createOption('--deadline <seconds>', 'maximum time, in seconds, for all attempts')
        .argParser(deadlineMs)
        .default(10_000, '10'),
    )
    .option('--json', 'print JSON, also for failures')
}
