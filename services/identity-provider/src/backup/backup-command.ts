// Folder: A backup copies the store and its key.

import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { isGuid } from '@greeting/directory'
import { createFile, postgresDatabase, type SqlDatabase } from '@greeting/directory/database'
import { createSecretFile, readIfThere } from '@greeting/directory/files'
import { sqliteDatabase } from '@greeting/directory/storage'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { BackupError } from './backup-error.ts'
import { requireEmpty, restoreBackup } from './restore-backup.ts'
import { restoreTenant } from './restore-tenant.ts'
import { dataFile, openSource, type StorePlace } from './store-source.ts'
import { type VerifiedBackup, verifyBackup } from './verify-backup.ts'
import { writeBackup } from './write-backup.ts'

/** The settings and the outputs of a backup or a restore. */
type BackupContext = StorePlace & {
  readonly keyEncryptionKey: string | undefined
  readonly now: () => Date
  readonly progress: (line: string) => void
}

/** The error for arguments that the command does not accept. */
export class BackupUsageError extends TypeError {
  readonly code = 'backup_usage'
  override readonly name = 'BackupUsageError'
}

const maxPassphraseBytes = 4096
const minPassphraseCharacters = 12

/** The commands of the main file, besides the service. */
export const backupCommands = { backup: runBackup, restore: runRestore } as const

/**
 * Writes a backup of the store of the settings, or of one tenant in it. Returns a sentence for the operator.
 *
 * @throws {BackupUsageError} backup_usage
 * @throws {BackupError} backup_exists, store_missing, store_newer, key_wrong, tenant_unknown
 */
async function runBackup(args: readonly string[], context: BackupContext): Promise<string> {
  const { folder, passphrase, tenantId } = await readArguments(args, 'to')
  const database = await openSource(context)
  try {
    const keyText = tenantId === undefined ? await ownKey(context) : undefined
    if (passphrase !== undefined && keyText === undefined)
      throw new BackupError('key_wrong', `there is no key-encryption key in ${context.dataDir}`)
    const sealedKey =
      passphrase === undefined || keyText === undefined
        ? undefined
        : await sealKey(keyText, passphrase)
    const manifest = await writeBackup({
      database,
      store: context.databaseUrl === undefined ? 'sqlite' : 'postgresql',
      folder,
      sealedKey,
      tenantId,
      now: context.now(),
      onTable: reportTable(context),
    })
    const { keyEncryptionKeyId: id } = manifest
    const key =
      sealedKey === undefined
        ? `It does not contain the key-encryption key ${id}: keep that key in another place.`
        : `It contains the key-encryption key ${id}, encrypted with the passphrase.`
    const keys = id === null ? 'The store has no keys.' : key
    const contents =
      tenantId === undefined ? keys : `It has the tenant ${tenantId} only, and no key.`
    return `The backup in ${folder} is complete. ${contents}`
  } finally {
    await database.close()
  }
}

/**
 * Restores a backup into the empty store of the settings, or one tenant into a store in use. Returns a sentence for the operator.
 *
 * @throws {BackupUsageError} backup_usage
 * @throws {BackupError} backup_missing, backup_damaged, backup_newer, store_not_empty, key_wrong,
 *   passphrase_wrong, tenant_unknown, tenant_conflict; nothing is written then
 */
async function runRestore(args: readonly string[], context: BackupContext): Promise<string> {
  const { folder, isPlan, passphrase, tenantId } = await readArguments(args, 'from')
  const backup = await verifyBackup(folder)
  if (tenantId !== undefined) return runTenantRestore(backup, { tenantId, isPlan }, context)
  if (backup.manifest.tenantId !== undefined)
    throw new BackupUsageError(
      `${folder} has one tenant only: add --tenant ${backup.manifest.tenantId}`,
    )
  const { keyEncryptionKeyId: id, tables } = backup.manifest
  const keyText = await keyOfRestore(backup, passphrase, context)
  if (keyText !== undefined && id !== null && KeyEncryptionKey.parse(keyText.trim()).id !== id) {
    const sentence = `the backup needs the key-encryption key ${id}, and the settings have another one`
    throw new BackupError('key_wrong', sentence)
  }
  await restoreInto(context, backup)
  const keyFile = join(context.dataDir, 'key-encryption.key')
  if (keyText !== undefined && context.keyEncryptionKey === undefined)
    await createSecretFile(keyFile, `${keyText.trim()}\n`)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  // Several servers of one database have no common folder.
  const place = context.databaseUrl === undefined ? `put it into ${keyFile}, or ` : ''
  const missing =
    keyText === undefined && id !== null
      ? ` The server needs the key-encryption key ${id}: ${place}set KEY_ENCRYPTION_KEY.`
      : ''
  return `The store has the ${rows} rows of ${folder}, as of ${backup.manifest.createdAt}.${missing}`
}

async function runTenantRestore(
  backup: VerifiedBackup,
  { isPlan, tenantId }: { readonly isPlan: boolean; readonly tenantId: string },
  context: BackupContext,
): Promise<string> {
  const database = await openSource(context)
  try {
    if (!(await database.isMigrated())) {
      const sentence = 'the tables of the store are of an earlier release: start this release first'
      throw new BackupError('store_older', sentence)
    }
    const { progress } = context
    const options = { database, backup, tenantId, isPlan, now: context.now(), progress }
    const restored = await restoreTenant(options)
    for (const line of restored.lines) progress(line)
    const { createdAt } = backup.manifest
    const begin = isPlan ? 'Nothing was written. A restore takes' : 'The restore took'
    return `${begin} the tenant ${tenantId} back to ${createdAt}: ${restored.summary}.`
  } finally {
    await database.close()
  }
}

async function restoreInto(context: BackupContext, backup: VerifiedBackup): Promise<void> {
  const fill = (database: SqlDatabase) => restoreBackup(database, backup, reportTable(context))
  if (context.databaseUrl === undefined) {
    const path = dataFile(context)
    const exists = (file: string) =>
      new BackupError('store_not_empty', `${file} exists, and is not overwritten`)
    // SQLite would mix the log of an earlier file into the restored one.
    for (const file of [path, `${path}-wal`])
      if (await stat(file).catch(() => undefined)) throw exists(file)
    const isCreated = await createFile(path, (draft) => sqliteDatabase(draft, path), fill)
    if (!isCreated) throw exists(path)
    return
  }
  const database = postgresDatabase(context.databaseUrl)
  try {
    await requireEmpty(database)
    await fill(database)
  } finally {
    await database.close()
  }
}

const reportTable =
  ({ progress }: BackupContext) =>
  (name: string, rows: number) =>
    progress(`${name}: ${rows} rows`)

/** The key-encryption key of this server in base64; undefined when it has none. */
const ownKey = async ({ keyEncryptionKey, dataDir }: BackupContext) =>
  keyEncryptionKey ?? (await readIfThere(join(dataDir, 'key-encryption.key')))

async function keyOfRestore(
  { sealedKey }: VerifiedBackup,
  passphrase: string | undefined,
  context: BackupContext,
): Promise<string | undefined> {
  if (passphrase === undefined) return ownKey(context)
  if (sealedKey !== undefined) return openKey(sealedKey, passphrase)
  throw new BackupError('key_wrong', 'the backup does not contain the key-encryption key')
}

async function readArguments(args: readonly string[], target: 'to' | 'from') {
  const options = {
    [target]: { type: 'string' },
    'passphrase-file': { type: 'string' },
    tenant: { type: 'string' },
    ...(target === 'from' && { plan: { type: 'boolean' } as const }),
  } as const
  let values: Partial<Record<string, string | boolean>>
  try {
    values = parseArgs({ args: [...args], options, allowPositionals: false }).values
  } catch (cause) {
    throw new BackupUsageError((cause as Error).message, { cause })
  }
  const folder = values[target]
  const { 'passphrase-file': file, plan: isPlan = false, tenant } = values
  const tenantId = typeof tenant === 'string' ? tenant.toLowerCase() : undefined
  if (typeof folder !== 'string' || folder === '')
    throw new BackupUsageError(`--${target} <folder> is missing`)
  if (tenantId !== undefined && !isGuid(tenantId))
    throw new BackupUsageError('--tenant must be the ID of a tenant')
  if (tenantId !== undefined && file !== undefined)
    throw new BackupUsageError('--passphrase-file is for keys, which a tenant does not have')
  if (isPlan && tenantId === undefined)
    throw new BackupUsageError('--plan is for the restore of a --tenant <id>')
  const passphrase = typeof file === 'string' ? await readPassphrase(file) : undefined
  return { folder, isPlan: isPlan === true, passphrase, tenantId }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readPassphrase(path: string): Promise<string> {
  // A byte order mark is no part of the passphrase, and UTF-16 is refused.
  const text = await readFile(path)
    .then((bytes) => utf8.decode(bytes))
    .catch((cause) => {
      throw new BackupUsageError(`the passphrase file ${path} cannot be read as UTF-8`, { cause })
    })
  const passphrase = text.trimEnd()
  if (text.length > maxPassphraseBytes || passphrase.length < minPassphraseCharacters)
    throw new BackupUsageError(
      `the passphrase in ${path} must have ${minPassphraseCharacters} to ${maxPassphraseBytes} characters`,
    )
  return passphrase
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

// 128 MiB and about half a second for one guess (RFC 7914 section 2).
const cost = { N: 131_072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const [saltBytes, keyBytes, nonceBytes, tagBytes] = [16, 32, 12, 16]
const cipher = 'aes-256-gcm'
const format = 'scrypt-aes256gcm-v1'

async function sealKey(keyText: string, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)]
  const sealing = createCipheriv(cipher, await derive(passphrase, salt, keyBytes, cost), nonce)
  const sealed = Buffer.concat([sealing.update(keyText), sealing.final(), sealing.getAuthTag()])
  return `${[format, ...[salt, nonce, sealed].map((part) => part.toString('base64url'))].join('.')}\n`
}

/**
 * Decrypts the text of a key file.
 *
 * @throws {BackupError} passphrase_wrong, also when the text is damaged
 */
async function openKey(sealedText: string, passphrase: string): Promise<string> {
  const [version, ...parts] = sealedText.trim().split('.', 4)
  const [salt, nonce, sealed] = parts.map((part) => Buffer.from(part, 'base64url'))
  const isForm =
    version === format && salt?.length === saltBytes && nonce?.length === nonceBytes && sealed
  try {
    if (!isForm || sealed.length < tagBytes) throw new TypeError('The form is wrong')
    const opening = createDecipheriv(cipher, await derive(passphrase, salt, keyBytes, cost), nonce)
    opening.setAuthTag(sealed.subarray(-tagBytes))
    return Buffer.concat([
      opening.update(sealed.subarray(0, -tagBytes)),
      opening.final(),
    ]).toString()
  } catch (cause) {
    const sentence = 'the passphrase does not open the key-encryption key of the backup'
    throw new BackupError('passphrase_wrong', sentence, { cause })
  }
}
