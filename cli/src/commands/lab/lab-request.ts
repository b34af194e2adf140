import { GraphRefusalError } from '@greeting/registrations/apply'
import { InvalidArgumentError } from 'commander'
import { CommandFailure } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import type { AdministratorCommandOptions } from '../administrator-command.ts'
import { openManagement, orCommandFailure } from '../management.ts'

/** A request of an operation below `/lab`. */
export type LabRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/**
 * Sends a request to the lab, and resolves with the body of the answer.
 *
 * @throws {CommandFailure} failed when the identity provider has no lab, or refuses the request
 */
export async function requestLab(
  terminal: Terminal,
  options: AdministratorCommandOptions,
  request: LabRequest,
): Promise<unknown> {
  const client = await openManagement(terminal, options, '/lab')
  const sent = client.send({ ...request, role: 'SigningKey.ReadWrite.All' }).catch((cause) => {
    if (!(cause instanceof GraphRefusalError) || cause.status !== 404) throw cause
    const remedy = 'Start it with "greeting start --lab", or with LAB=on.'
    throw new CommandFailure('failed', 'The identity provider has no lab', { cause, remedy })
  })
  return (await orCommandFailure(sent)).body
}

/** @throws {InvalidArgumentError} when the text is no whole number */
export function wholeNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('The number must be whole')
  }
  return number
}
