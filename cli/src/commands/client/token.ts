import type { Command } from 'commander'
import { connect } from '../../client/connection.ts'
import type { CommandContext } from '../../command-context.ts'
import { decodeToken, tokenText } from '../../text/token-text.ts'
import { type ClientCommandOptions, clientCommand, settingsOf } from './client-command.ts'

type Options = ClientCommandOptions & { readonly decode?: true; readonly force?: true }

/** `greeting token`: obtains an access token and prints it. */
export function addTokenCommand({ program, terminal }: CommandContext): Command {
  return clientCommand(program.command('token'))
    .description('print an access token, from the cache or a new one')
    .option('--decode', 'print the header and the claims, with times in words')
    .option('--force', 'obtain a new token, even if the cache has one')
    .action(async (options: Options) => {
      const { deadline, json, decode, force } = options
      const settings = await settingsOf(terminal, options, ['AUTH_URL'])
      const { tokens, isTokenKept } = connect(settings, { deadlineMs: deadline })
      const token = await tokens.token({ signal: terminal.stop, force })
      const decoded = decode && decodeToken(token)
      if (json) {
        const plain = { access_token: token, token_type: 'Bearer' }
        terminal.out(`${JSON.stringify(decoded ?? plain)}\n`)
        return
      }
      terminal.out(decoded ? tokenText(decoded, Date.now() / 1000) : `${token}\n`)
      if (decoded && isTokenKept())
        terminal.err('This token is from the cache. Use --force to obtain a new one.\n')
    })
}
