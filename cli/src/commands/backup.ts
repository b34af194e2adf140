import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CommandContext } from '../command-context.ts'
import { SilentExit } from '../exit-codes.ts'
import { defaultDataDir } from '../system/data-folder.ts'
import type { Services } from '../system/services.ts'
import type { Terminal } from '../terminal.ts'

type Options = {
  readonly dataDir?: string
  readonly passphraseFile?: string
  readonly plan?: boolean
  readonly tenant?: string
  readonly to?: string
  readonly from?: string
}

/** `greeting backup`: copies the store of the identity provider, or one tenant, into a new folder. */
export const addBackupCommand = ({ program, terminal, services }: CommandContext) =>
  program
    .command('backup')
    .description('back up the store of the identity provider, also while it runs')
    .requiredOption('--to <folder>', 'new folder of the backup')
    .option('--tenant <id>', 'back up this tenant only, without any key')
    .option(...dataDirOption)
    .option(
      '--passphrase-file <path>',
      'include the key-encryption key, encrypted with the passphrase in this file',
    )
    .action((options: Options) =>
      runCommand(['backup', '--to', options.to ?? ''], options, terminal, services),
    )

/** `greeting restore`: fills an empty store with a backup, or takes one tenant back to it. */
export const addRestoreCommand = ({ program, terminal, services }: CommandContext) =>
  program
    .command('restore')
    .description(
      'restore a backup into an empty store, before the identity provider starts, or one tenant while it runs',
    )
    .requiredOption('--from <folder>', 'folder of the backup')
    .option('--tenant <id>', 'take this tenant back, and leave the others as they are')
    .option('--plan', 'only print what the restore of the tenant changes')
    .option(...dataDirOption)
    .option(
      '--passphrase-file <path>',
      'restore the key-encryption key of the backup, with the passphrase in this file',
    )
    .action((options: Options) =>
      runCommand(['restore', '--from', options.from ?? ''], options, terminal, services),
    )

const dataDirOption = [
  '--data-dir <path>',
  `folder of the identity provider; \`DATABASE_URL\` in the environment selects PostgreSQL (default: \`DATA_DIR\` of the environment, else ${defaultDataDir})`,
] as const

/** Runs a command of the service as a process: this command does not import its storage. */
async function runCommand(
  words: readonly string[],
  { dataDir, passphraseFile, plan, tenant }: Options,
  terminal: Terminal,
  { identityProviderProgram }: Services,
): Promise<void> {
  const args = [
    ...words,
    ...(passphraseFile === undefined ? [] : ['--passphrase-file', passphraseFile]),
    ...(tenant === undefined ? [] : ['--tenant', tenant]),
    ...(plan ? ['--plan'] : []),
  ]
  const { DATA_DIR } = terminal.environment
  const child = spawn(process.execPath, [identityProviderProgram.mainFile, ...args], {
    env: { ...terminal.environment, DATA_DIR: dataDir ?? (DATA_DIR || defaultDataDir) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8').on('data', terminal.out)
  child.stderr.setEncoding('utf8').on('data', terminal.err)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new SilentExit(code === 2 ? 'bad_usage' : 'failed')
}
