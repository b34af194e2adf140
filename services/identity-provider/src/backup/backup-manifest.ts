import { createHash } from 'node:crypto'
import {
  isBeforeFirstSchema,
  migrations,
  storedTables,
  wayFromBefore,
} from '@greeting/directory/database'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'

/** The name of the manifest in a backup. It is written last. */
export const manifestName = 'manifest.json'

/** The file of the key-encryption key in a backup, encrypted with a passphrase. */
export const sealedKeyName = 'key-encryption.key.sealed'

export const manifestFormat = 2

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const tableNames = storedTables.map(({ name }) => name)

const manifestSchema = z.strictObject({
  /** Format 1 has no checksum of the manifest. */
  format: z.literal([1, manifestFormat]),
  createdAt: z.iso.datetime(),
  /** The kind of the store. A backup can be restored into the other kind. */
  store: z.enum(['sqlite', 'postgresql']),
  /** The tenant of a backup that has no other; undefined for the whole store. */
  tenantId: z.guid().optional(),
  /** The migrations of the tables, in order. */
  migrations: z.array(z.string().max(100)).min(1).max(1000),
  /** The commit of each log. */
  revisions: z.record(z.string().max(50), count),
  /** The ID of the key that encrypts the signing keys; null when there are none. */
  keyEncryptionKeyId: z.string().max(50).nullable(),
  /** The checksum of the sealed key file; null when the backup does not contain it. */
  sealedKeySha256: sha256.nullable(),
  tables: z
    .array(z.strictObject({ name: z.enum(tableNames), rows: count, bytes: count, sha256 }))
    .max(tableNames.length),
  /** The checksum of the text before it. Later formats must keep its form and its place. */
  sha256: sha256.optional(),
})

/** The contents of a backup, with checksums. */
export type BackupManifest = z.output<typeof manifestSchema>

/** The file of a table in a backup: one JSON object per row, compressed. */
export const tableFile = (name: string): string => `${name}.jsonl.gz`

/** The text of a manifest, with its checksum at the end. */
export function manifestText(manifest: BackupManifest): string {
  const text = JSON.stringify(manifest, null, 2)
  const body = text.slice(0, text.lastIndexOf('\n}'))
  return `${body}${endAfter(body)}`
}

const endAfter = (body: string) =>
  `,\n  "sha256": "${createHash('sha256').update(body).digest('hex')}"\n}\n`

const endLength = endAfter('').length

/** Whether a text ends with the checksum of what is before it. */
function isSealed(text: string): boolean {
  const body = text.slice(0, -endLength)
  return text === `${body}${endAfter(body)}`
}

/**
 * Reads a manifest.
 *
 * @throws {BackupError} backup_damaged when it is no manifest, or another one than was written;
 *   backup_newer when a later release wrote it; backup_older when this release cannot migrate it
 */
export function parseManifest(text: string): BackupManifest {
  const damaged = new BackupError('backup_damaged', `the ${manifestName} is damaged`)
  const newer = new BackupError(
    'backup_newer',
    'a later release made the backup: restore it with that release',
  )
  const json = jsonOf(text)
  const parsed = manifestSchema.safeParse(json)
  const { data: early } = earlySchema.safeParse(json)
  if (early !== undefined && (isSealed(text) || early.sha256 === undefined))
    throw new BackupError(
      'backup_older',
      `an early release made the backup: restore it with that release. Then ${wayFromBefore}`,
    )
  if (isSealed(text) && !parsed.success && isLater(json)) throw newer
  if (!parsed.success || isSealed(text) !== parsed.data.format > 1) throw damaged
  // In the order of their names, as Kysely runs them.
  const known = Object.keys(migrations).toSorted()
  const isKnown = parsed.data.migrations.every((name, index) => name === known[index])
  if (isKnown) return parsed.data
  throw isSealed(text) ? newer : damaged
}

/** The tables are none that this release can migrate. The first such releases wrote no checksum. */
const earlySchema = z.looseObject({ migrations: z.array(z.string()).refine(isBeforeFirstSchema) })

const isLater = (json: unknown): boolean =>
  z.looseObject({ format: z.int().min(manifestFormat + 1) }).safeParse(json).success

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
