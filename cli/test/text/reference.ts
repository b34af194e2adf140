import type { Argument, Command, Option } from 'commander'
import { pageMark } from '../../../test/fixtures/generated-files.ts'
import {
  clientSettings,
  credentialRows,
  defaultSettingsFile,
} from '../../src/client/client-settings.ts'
import { exitCodes } from '../../src/exit-codes.ts'
import { greetingProgram } from '../../src/program.ts'
import { fakeServices } from '../fakes/services.ts'
import { RecordedTerminal } from '../fakes/terminal.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function defaultOf({ defaultValue, defaultValueDescription }: Option | Argument): string {
  if (defaultValueDescription !== undefined) return `\`${defaultValueDescription}\``
  const isShown = ['string', 'number'].includes(typeof defaultValue)
  return isShown ? `\`${defaultValue}\`` : ''
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** The commands with an action, subcommands included. */
function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

function section(command: Command): string {
  const help = command.createHelp()
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [
      `\`${option.flags}\``,
      option.description,
      option.mandatory && option.defaultValue === undefined ? 'required' : defaultOf(option),
    ])
  const args = command.registeredArguments.map((argument) => [
    `\`${argument.name()}\``,
    argument.description,
    defaultOf(argument),
  ])
  const rows = [...args, ...options]
  const head = [`## ${fullName(command)}`, '', sentence(command.description()), '']
  const usage = ['```sh', help.commandUsage(command), '```', '']
  return [
    ...head,
    ...usage,
    ...(rows.length > 0 ? [table(['', '', 'default'], rows), ''] : []),
  ].join('\n')
}

function settingRows(): readonly (readonly string[])[] {
  const own = Object.entries(clientSettings).map(([name, { description, defaultValue }]) => [
    `\`${name}\``,
    description,
    defaultValue === undefined ? '' : `\`${defaultValue}\``,
  ])
  const credentials = credentialRows.map(({ setting, title, companions }) => {
    const besides = companions.map((name) => `\`${name}\``).join(', ')
    return [`\`${setting}\``, besides ? `${title}; together with it: ${besides}` : title, '']
  })
  return [...own, ...credentials]
}

function referencePage(program: Command): string {
  const exits = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])
  return `${pageMark}
# The command

\`greeting\` starts the system, obtains tokens and calls the API. Results go to the standard output,
everything else to the error stream. With \`--json\`, both are JSON. A failure is one line with
\`{"error":{"code","message",...}}\`. Colours appear only on a terminal, and not when
\`NO_COLOR\` is set. \`--help\` works everywhere.

${leaves(program).map(section).join('\n')}
## Settings of the client

Settings come from the environment. The missing ones come from \`${defaultSettingsFile}\`, which \`greeting start\` writes. Set exactly one credential. A credential of the environment replaces
the credential of the file.

${table(['setting', 'meaning', 'default'], settingRows())}

\`CLIENT_SECRET_NEXT\` is tried when \`CLIENT_SECRET\` is refused. \`CLIENT_SECRET_EXPIRES\` (an ISO date)
lets \`greeting doctor\` show the end of the secret. \`CLIENT_KEY_FILE\` is the private key, if it is not in
the file of the certificate. Without \`TOKEN_CACHE_FILE\`, the token cache is \`tokens.json\` next to the
settings file, if there is one.

## Exit codes

${table(['code', 'meaning'], exits)}
`
}

const program = await greetingProgram(new RecordedTerminal().terminal(), fakeServices)

export const file = 'docs/reference/command.md'
export const text = referencePage(program)
