import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from '../command-context.ts'

/** A command or subcommand ("registrations plan"), and the words that can follow it. */
type Words = {
  readonly name: string
  readonly description: string
  readonly options: readonly Option[]
  readonly subcommands: readonly string[]
}
type Option = { readonly flag: string; readonly description: string }

function wordsOf(command: Command, prefix = ''): readonly Words[] {
  return command.commands.flatMap((child) => {
    const name = `${prefix}${child.name()}`
    const options = child
      .createHelp()
      .visibleOptions(child)
      .flatMap(({ long, description }) => (long ? [{ flag: long, description }] : []))
    const subcommands = child.commands.map((grandchild) => grandchild.name())
    return [
      { name, description: child.description(), options, subcommands },
      ...wordsOf(child, `${name} `),
    ]
  })
}

function bash(program: Command): string {
  const cases = wordsOf(program).map(({ name, options, subcommands }) => {
    const words = [...subcommands, ...options.map(({ flag }) => flag)].join(' ')
    return `    '${name}') words="${words}" ;;`
  })
  const names = program.commands.map((command) => command.name()).join(' ')
  return `# Completion of greeting for bash: . <(npx --no-install greeting completion bash)
_greeting() {
  local words="${names} --help"
  local command="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -gt 1 ]; then words=""; fi
  for depth in 2 3; do
    if [ "$COMP_CWORD" -lt "$depth" ]; then break; fi
    case "$command" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
    command="$command \${COMP_WORDS[$depth]}"
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _greeting greeting
`
}

const zshText = (text: string) => text.replaceAll(/[:[\]'\\]/g, ' ')

function zsh(program: Command): string {
  const names = program.commands.map(
    (command) => `    '${command.name()}:${zshText(command.description())}'`,
  )
  const cases = wordsOf(program).map(({ name, options, subcommands }) => {
    const specs = options.map(({ flag, description }) => `'${flag}[${zshText(description)}]'`)
    const rest =
      subcommands.length > 0 ? `'2:command:(${subcommands.join(' ')})'` : "'*:file:_files'"
    return `    '${name}') _arguments ${[...specs, rest].join(' ')} ;;`
  })
  return `#compdef greeting
# Completion of greeting for zsh: npx --no-install greeting completion zsh > "\${fpath[1]}/_greeting"
_greeting() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  case "\${words[2]} \${words[3]}" in
    ${
      wordsOf(program)
        .filter(({ name }) => name.includes(' '))
        .map(({ name }) => `'${name}'`)
        .join('|') || "''"
    }) command="\${words[2]} \${words[3]}" ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _greeting greeting
`
}

const fishText = (text: string) => text.replaceAll(/['\\]/g, ' ')

function fish(program: Command): string {
  const lines = wordsOf(program).flatMap(({ name, description, options }) => {
    const path = name.split(' ')
    const parents = path.slice(0, -1)
    const condition = parents.length === 0 ? '__fish_use_subcommand' : seen(parents)
    return [
      `complete -c greeting -n '${condition}' -f -a ${path.at(-1)} -d '${fishText(description)}'`,
      ...options.map(
        (option) =>
          `complete -c greeting -n '${seen(path)}' -l ${option.flag.slice(2)} -d '${fishText(option.description)}'`,
      ),
    ]
  })
  return `# Completion of greeting for fish: npx --no-install greeting completion fish | source\n${lines.join('\n')}\n`
}

const seen = (path: readonly string[]) =>
  path.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ')

const completionScripts = { bash, zsh, fish } as const

type Shell = keyof typeof completionScripts

const isShell = (name: string): name is Shell => Object.hasOwn(completionScripts, name)

function shell(text: string): Shell {
  if (!isShell(text))
    throw new InvalidArgumentError(
      `The supported shells are ${Object.keys(completionScripts).join(', ')}`,
    )
  return text
}

/** `greeting completion`: prints a shell completion script. */
export function addCompletionCommand({ program, terminal }: CommandContext): Command {
  return program
    .command('completion')
    .description('print a completion script for a shell')
    .argument('<shell>', 'bash, zsh or fish', shell)
    .action((name: Shell) => terminal.out(completionScripts[name](program)))
}
