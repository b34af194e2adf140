// Folder: The commands: the options of each, and what it prints.

import { join } from 'node:path'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type AdministratorSettings,
  managementClientOf,
  readAdministratorSettings,
} from '../administrator/administrator-settings.ts'
import type { GraphClient } from '../administrator/graph-client.ts'
import { refusalText } from '../administrator/refusal-failure.ts'
import { CommandFailure } from '../exit-codes.ts'
import { isReadableByOthers } from '../files/env-file.ts'
import type { Terminal } from '../terminal.ts'
import { waitText } from '../text/time.ts'
import { readableWarning } from '../text/visible-text.ts'

export type AdministratorCommandOptions = {
  readonly dataDir: string
  /** The settings file that the person named. */
  readonly settings?: string
  /** The base URL of the identity provider, in place of the URLs in the settings. */
  readonly server?: string
  readonly json?: true
}

function baseUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/\/$/, '')
  throw new InvalidArgumentError('It must be an http or https URL')
}

/** Adds the options of every administrator command. */
export function administratorCommand(command: Command): Command {
  return command
    .addOption(
      new Option('--data-dir <path>', 'data folder of the local system').default('.greeting'),
    )
    .option(
      '--settings <path>',
      'settings file of the administrator, which wins over the environment; - is the standard input (default: administrator.env in the data folder, for an environment without CLIENT_ID)',
    )
    .option(
      '--server <url>',
      'send the requests to this URL, such as http://127.0.0.1:4000 beside the server, and not to AUTH_URL and GRAPH_URL',
      baseUrl,
    )
    .option('--json', 'print JSON, also for failures')
}

/**
 * The administrator of the options and the environment.
 *
 * @throws {CommandFailure} bad_usage, with all faults of the settings.
 */
export async function readAdministrator(
  { environment, err }: Terminal,
  { dataDir, settings, server, json }: AdministratorCommandOptions,
): Promise<AdministratorSettings> {
  const file = settings ?? join(dataDir, 'administrator.env')
  const isNamed = settings !== undefined
  const administrator = await readAdministratorSettings(environment, file, isNamed)
  const isRead = isNamed || !environment.CLIENT_ID
  if (isRead && !json && (await isReadableByOthers(file))) err(readableWarning(file))
  return server === undefined ? administrator : { ...administrator, server }
}

/** Opens the management API of the identity provider or of its lab, as the administrator in the settings. */
export async function openManagement(
  terminal: Terminal,
  options: AdministratorCommandOptions,
  root: '/management' | '/lab' = '/management',
): Promise<GraphClient> {
  const { err, stop } = terminal
  return managementClientOf(await readAdministrator(terminal, options), {
    root,
    signal: stop,
    onWait: (reason, durationMs) => err(waitText('The identity provider', reason, durationMs)),
  })
}

/** Runs a request of the management API. A refusal becomes a failure of the command. */
export async function orCommandFailure<Value>(asked: Promise<Value>): Promise<Value> {
  return asked.catch((error) => {
    if (!(error instanceof GraphRefusalError)) throw error
    throw new CommandFailure('failed', refusalText(error), { cause: error })
  })
}

/** Prints a result: as JSON for a program, else as a text. */
export const printResult = (
  { out }: Terminal,
  { json }: AdministratorCommandOptions,
  result: unknown,
  text: string,
): void => out(json ? `${JSON.stringify(result)}\n` : text)

/** @throws {CommandFailure} failed when the answer of the person is not yes */
export async function requireYes(
  ask: NonNullable<Terminal['ask']>,
  question: string,
): Promise<void> {
  const answer = await ask(question)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('failed', 'Nothing was changed')
}
