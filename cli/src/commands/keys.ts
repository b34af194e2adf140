import { readFile } from 'node:fs/promises'
import { textOfFile } from '@greeting/client/files'
import { parseAnswer } from '@greeting/registrations/apply'
import { z } from 'zod'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { wholeSeconds } from '../text/time.ts'
import { textTable } from '../text/visible-text.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  openManagement,
  orCommandFailure,
  printResult,
  requireYes,
} from './administrator-command.ts'

type Options = AdministratorCommandOptions & { readonly yes?: true }

const signingKey = z.object({
  kid: z.string(),
  announcedDateTime: z.iso.datetime(),
  signsFromDateTime: z.iso.datetime(),
})

const keyState = signingKey.extend({
  phase: z.string(),
  untilDateTime: z.iso.datetime().nullable(),
})

const reencryption = z.object({ reencrypted: z.number(), keyEncryptionKeyId: z.string() })

const role = 'SigningKey.ReadWrite.All'

/** `greeting keys`: manages the signing keys of the identity provider. */
export function addKeysCommands({ program, terminal }: CommandContext): void {
  const keys = program
    .command('keys')
    .description('manage the signing keys of the identity provider')

  administratorCommand(keys.command('list'))
    .description('list the signing keys with their phases and the end of each phase')
    .action(async (options: Options) => {
      const client = await openManagement(terminal, options)
      const states = await orCommandFailure(client.list('/keys', keyState))
      printResult(terminal, options, states, tableOf(states))
    })

  administratorCommand(keys.command('rotate'))
    .description('rotate the signing key now, before its schedule')
    .action(async (options: Options) => {
      const line = { method: 'POST', path: '/keys/rotate' } as const
      const client = await openManagement(terminal, options)
      const { body } = await orCommandFailure(client.send({ ...line, role }))
      const next = parseAnswer(line, signingKey, body)
      const text = `${next.kid} signs from ${wholeSeconds(next.signsFromDateTime)} on.\n`
      printResult(terminal, options, next, text)
    })

  administratorCommand(keys.command('revoke'))
    .description('revoke a key immediately: APIs then refuse all tokens with its signature')
    .argument('<kid>', 'key ID from the list')
    .option('--yes', 'do not ask for confirmation')
    // One key ID in 64 starts with a dash, as base64url allows. So unknown options are read as the
    // key ID.
    .allowUnknownOption()
    .action(async (kid: string, options: Options) => {
      await confirmRevocation(terminal, kid, options)
      const path = `/keys/${encodeURIComponent(kid)}/revoke`
      const client = await openManagement(terminal, options)
      await orCommandFailure(client.send({ method: 'POST', path, role }))
      printResult(terminal, options, { revoked: kid }, `${kid} is revoked.\n`)
    })

  administratorCommand(keys.command('reencrypt'))
    .description('encrypt the stored private keys with another key-encryption key')
    .requiredOption('--key-file <path>', 'file with the new key: 32 bytes in base64')
    .action(async (options: Options & { readonly keyFile: string }) => {
      const line = { method: 'POST', path: '/keys/reencrypt' } as const
      const keyEncryptionKey = await readKey(options.keyFile)
      const client = await openManagement(terminal, options)
      const { body } = await orCommandFailure(
        client.send({ ...line, role, body: { keyEncryptionKey } }),
      )
      const done = parseAnswer(line, reencryption, body)
      const text = `${done.reencrypted} keys are now encrypted with ${done.keyEncryptionKeyId}.
Restart every identity provider with this key, in KEY_ENCRYPTION_KEY or in its key file.\n`
      printResult(terminal, options, done, text)
    })
}

async function readKey(path: string): Promise<string> {
  try {
    return textOfFile(await readFile(path), path).trim()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure('bad_usage', `Cannot read the key file: ${reason}`, { cause })
  }
}

/** Asks for confirmation, because APIs will refuse every token that the key signed. */
async function confirmRevocation(terminal: Terminal, kid: string, { yes }: Options): Promise<void> {
  if (yes) return
  const what = `APIs will refuse every token that ${kid} signed.`
  if (terminal.ask === undefined) {
    const remedy = 'Nothing was changed. Use --yes to confirm.'
    throw new CommandFailure('bad_usage', `${what} Confirmation needs a terminal.`, { remedy })
  }
  await requireYes(terminal.ask, `${what}\nRevoke it? (yes or no) `)
}

function tableOf(states: readonly z.output<typeof keyState>[]): string {
  const rows = states.map(({ kid, phase, signsFromDateTime, untilDateTime }) => [
    kid,
    phase,
    wholeSeconds(signsFromDateTime),
    untilDateTime === null ? '' : wholeSeconds(untilDateTime),
  ])
  return textTable(['kid', 'phase', 'signs from', 'phase ends'], rows)
}
