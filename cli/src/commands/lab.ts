import { GraphRefusalError } from '@greeting/registrations/apply'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text/visible-text.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  openManagement,
  orCommandFailure,
  printResult,
} from './administrator-command.ts'

const labClock = z.object({ now: z.string(), isFrozen: z.boolean(), offsetMs: z.number() })
const mintedToken = z.object({ access_token: z.string() })

type TokenOptions = AdministratorCommandOptions & {
  readonly api: string
  readonly client?: string
  readonly role?: readonly string[]
  readonly claim?: NameValues
  readonly header?: NameValues
  readonly unpublished?: true
}

type ClockOptions = AdministratorCommandOptions & {
  readonly freeze?: true
  readonly resume?: true
  readonly set?: string
  readonly advance?: number
  readonly reset?: true
}

/** `greeting lab`: faults, tokens and the clock of an identity provider for tests. */
export function addLabCommands({ program, terminal }: CommandContext): void {
  const lab = program
    .command('lab')
    .description('break answers, make tokens and set the clock of an identity provider with a lab')
  addFaultCommands(lab, terminal)

  administratorCommand(lab.command('token'))
    .description('make a token with any claims, signed by the identity provider')
    .requiredOption('--api <id>', 'application ID of the API')
    .option('--client <id>', 'application ID of the client')
    .option('--role <value>', 'a role; may be repeated (default: all roles of the API)', collect)
    .option('--claim <name=value>', 'a claim, as JSON or text; may be repeated', addNameValue)
    .option(
      '--header <name=value>',
      'a header member, as JSON or text; may be repeated',
      addNameValue,
    )
    .option('--unpublished', 'sign with a key that is not published')
    .action(async (options: TokenOptions) => {
      const { api, client, role: roles, claim: claims, header, unpublished } = options
      const key = unpublished && 'unpublished'
      const body = { api, client, roles, claims, header, key }
      const answer = await requestLab(terminal, options, { method: 'POST', path: '/tokens', body })
      const token = mintedToken.parse(answer)
      printResult(terminal, options, token, `${token.access_token}\n`)
    })

  administratorCommand(lab.command('clock'))
    .description('show the clock of the identity provider, or change it')
    .option('--freeze', 'stop it at its time')
    .option('--resume', 'let it run on')
    .option('--set <time>', 'set it to an ISO time in UTC')
    .option('--advance <seconds>', 'move it by this number of seconds', wholeNumber)
    .option('--reset', 'follow the clock of the system again')
    .action(async (options: ClockOptions) => {
      const answer = await requestLab(terminal, options, clockRequest(options))
      const { now, isFrozen } = labClock.parse(answer)
      printResult(terminal, options, answer, `${now}${isFrozen ? ', frozen' : ''}\n`)
    })
}

const collect = (text: string, previous: readonly string[] = []) => [...previous, text]

function clockRequest({ freeze, resume, set, advance, reset }: ClockOptions) {
  const body = {
    ...(freeze && { freeze: true }),
    ...(resume && { freeze: false }),
    ...(set !== undefined && { set }),
    ...(advance !== undefined && { advanceSeconds: advance }),
    ...(reset && { reset: true }),
  }
  return Object.keys(body).length === 0
    ? ({ method: 'GET', path: '/clock' } as const)
    : ({ method: 'POST', path: '/clock', body } as const)
}

/** A request of an operation below `/lab`. */
type LabRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/**
 * Sends a request to the lab, and resolves with the body of the answer.
 *
 * @throws {CommandFailure} failed when the identity provider has no lab, or refuses the request
 */
async function requestLab(
  terminal: Terminal,
  options: AdministratorCommandOptions,
  request: LabRequest,
): Promise<unknown> {
  const client = await openManagement(terminal, options, '/lab')
  const sent = client.send({ ...request, role: 'SigningKey.ReadWrite.All' }).catch((cause) => {
    if (!(cause instanceof GraphRefusalError) || cause.status !== 404) throw cause
    const remedy = 'Start it with "npx --no-install greeting start --lab", or with LAB=on.'
    throw new CommandFailure('failed', 'The identity provider has no lab', { cause, remedy })
  })
  return (await orCommandFailure(sent)).body
}

/** @throws {InvalidArgumentError} when the text is no whole number */
function wholeNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('The number must be whole')
  return number
}

const labFault = z.looseObject({
  id: z.string(),
  fault: z.string(),
  at: z.string(),
  applied: z.number(),
  isArmed: z.boolean(),
})
const labFaults = z.object({ value: z.array(labFault) })

type AddOptions = AdministratorCommandOptions & {
  readonly at: string
  readonly with?: NameValues
  readonly times?: number
  readonly seconds?: number
  readonly client?: string
  readonly run?: string
}

/** `greeting lab faults`: breaks answers of the identity provider. */
function addFaultCommands(lab: Command, terminal: Terminal): void {
  const faults = lab.command('faults').description('break responses of the identity provider')

  administratorCommand(faults.command('add'))
    .description('arm a fault for one request, or for --times or --seconds')
    .argument('<fault>', 'name of the fault, such as status')
    .requiredOption('--at <endpoint>', 'token, keys, discovery or graph')
    .option('--with <name=value>', 'a parameter of the fault; may be repeated', addNameValue)
    .option('--times <n>', 'number of requests', wholeNumber)
    .option('--seconds <n>', 'duration on the clock of the lab', wholeNumber)
    .option('--client <id>', 'only token requests of this client')
    .option('--run <id>', 'only requests with this value of the header x-greeting-run')
    .action(async (fault: string, options: AddOptions) => {
      const { at, with: parameters, times, seconds, client, run } = options
      const body = { ...parameters, fault, at, times, seconds, client, run }
      const answer = await requestLab(terminal, options, { method: 'POST', path: '/faults', body })
      const { id } = labFault.parse(answer)
      printResult(terminal, options, answer, `Fault ${id} is armed.\n`)
    })

  administratorCommand(faults.command('list'))
    .description('list the faults, with the number of requests that each has met')
    .action(async (options: AdministratorCommandOptions) => {
      const answer = await requestLab(terminal, options, { method: 'GET', path: '/faults' })
      const { value } = labFaults.parse(answer)
      printResult(terminal, options, value, textOf(value))
    })

  administratorCommand(faults.command('clear'))
    .description('remove all faults')
    .action(async (options: AdministratorCommandOptions) => {
      await requestLab(terminal, options, { method: 'DELETE', path: '/faults' })
      printResult(terminal, options, [], textOf([]))
    })
}

function textOf(faults: z.output<typeof labFaults>['value']): string {
  if (faults.length === 0) return 'There are no faults.\n'
  const rows = faults.map(({ id, fault, at, applied, isArmed }) => [
    id,
    fault,
    at,
    String(applied),
    isArmed ? 'armed' : 'used up',
  ])
  return textTable(['id', 'fault', 'at', 'applied', 'state'], rows)
}

type NameValues = Readonly<Record<string, unknown>>

/**
 * Adds a repeated option of the form `name=value` to the previous ones. The value is JSON, else a text.
 *
 * @throws {InvalidArgumentError} when the text has no name
 */
export function addNameValue(text: string, previous: NameValues = {}): NameValues {
  const nameCharacters = text.indexOf('=')
  if (nameCharacters < 1) throw new InvalidArgumentError('The form is name=value')
  const value = jsonOrText(text.slice(nameCharacters + 1))
  return { ...previous, [text.slice(0, nameCharacters)]: value }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
