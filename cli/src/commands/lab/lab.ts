import type { Command } from 'commander'
import { z } from 'zod'
import type { Terminal } from '../../terminal.ts'
import { addNameValue, type NameValues } from '../../text/name-value.ts'
import { type AdministratorCommandOptions, administratorCommand } from '../administrator-command.ts'
import { addFaultCommands } from './lab-faults.ts'
import { requestLab, wholeNumber } from './lab-request.ts'

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
export function addLabCommands(program: Command, terminal: Terminal): void {
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
      const { api, client, role: roles, claim: claims, header, unpublished, json } = options
      const key = unpublished && 'unpublished'
      const body = { api, client, roles, claims, header, key }
      const answer = await requestLab(terminal, options, { method: 'POST', path: '/tokens', body })
      const token = mintedToken.parse(answer)
      terminal.out(json ? `${JSON.stringify(token)}\n` : `${token.access_token}\n`)
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
      const text = `${now}${isFrozen ? ', frozen' : ''}\n`
      terminal.out(options.json ? `${JSON.stringify(answer)}\n` : text)
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
