// Folder: The program, its settings and its routes.

import { visibleText } from '@greeting/http-service'
import type { backupCommands } from './backup/backup-command.ts'
import { runIdentityProvider } from './run-identity-provider.ts'
import { readSettings } from './startup/settings.ts'

type BackupCommand = keyof typeof backupCommands

const [command, ...args] = process.argv.slice(2)
const isBackupCommand = (name: string | undefined): name is BackupCommand =>
  name === 'backup' || name === 'restore'

/** Runs a command that works on the store, and exits with 0, with 1 after a failure, or with 2. */
async function runBackupCommand(name: BackupCommand): Promise<void> {
  const { BackupUsageError, backupCommands } = await import('./backup/backup-command.ts')
  const line = (text: string) => process.stderr.write(`${visibleText(text)}\n`)
  try {
    const settings = readSettings(process.env)
    const sentence = await backupCommands[name](args, {
      dataDir: settings.DATA_DIR,
      databaseUrl: settings.DATABASE_URL,
      keyEncryptionKey: settings.KEY_ENCRYPTION_KEY,
      now: () => new Date(),
      progress: line,
    })
    process.stdout.write(`${visibleText(sentence)}\n`)
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    const { message } = cause
    line(`${name} failed: ${message}${message.endsWith('.') ? '' : '.'}`)
    const isUsage = cause instanceof BackupUsageError || cause.name === 'SettingsError'
    process.exitCode = isUsage ? 2 : 1
  }
}

if (isBackupCommand(command)) await runBackupCommand(command)
else await runIdentityProvider(process)
