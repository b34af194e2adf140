import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { BackupError } from './backup-error.ts'
import {
  type BackupManifest,
  manifestName,
  parseManifest,
  sealedKeyName,
  tableFile,
} from './backup-manifest.ts'

/** A backup whose files have the checksums of its manifest. */
export type VerifiedBackup = {
  readonly manifest: BackupManifest
  /** The sealed key-encryption key; undefined when the backup does not contain it. */
  readonly sealedKey: string | undefined
  /** The rows of a table, one by one. */
  readonly rowsOf: (name: string) => AsyncIterable<Readonly<Record<string, unknown>>>
}

const maxManifestBytes = 1_048_576

/**
 * Checks every file of a backup against its manifest, before anything is read from it.
 *
 * @throws {BackupError} backup_missing, backup_damaged, backup_newer
 */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const path = join(folder, manifestName)
  const size = await stat(path).then(
    (stats) => stats.size,
    (cause) => {
      const sentence = `${folder} contains no backup: it has no ${manifestName}`
      throw new BackupError('backup_missing', sentence, { cause })
    },
  )
  if (size > maxManifestBytes) throw damaged(manifestName)
  const manifest = parseManifest(await readFile(path, 'utf8'))
  for (const { name, sha256, bytes } of manifest.tables) {
    const file = tableFile(name)
    const found = await digestOf(join(folder, file), bytes).catch((cause) => {
      throw damaged(file, cause)
    })
    if (found !== sha256) throw damaged(file)
  }
  return {
    manifest,
    sealedKey: await readSealedKey(folder, manifest),
    rowsOf: (name) => rowsIn(join(folder, tableFile(name))),
  }
}

async function readSealedKey(folder: string, { sealedKeySha256 }: BackupManifest) {
  if (sealedKeySha256 === null) return undefined
  const path = join(folder, sealedKeyName)
  const found = await digestOf(path, maxManifestBytes).catch((cause) => {
    throw damaged(sealedKeyName, cause)
  })
  if (found !== sealedKeySha256) throw damaged(sealedKeyName)
  return readFile(path, 'utf8')
}

async function digestOf(path: string, maxBytes: number): Promise<string> {
  const { size } = await stat(path)
  if (size > maxBytes) return ''
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

async function* rowsIn(path: string) {
  const input = createReadStream(path).pipe(createGunzip())
  for await (const line of createInterface({ input })) yield JSON.parse(line)
}

const damaged = (file: string, cause?: unknown) =>
  new BackupError('backup_damaged', `${file} of the backup is damaged. Nothing was changed`, {
    cause,
  })
