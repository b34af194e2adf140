import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { migrations } from '@greeting/directory/database'
import {
  type BackupManifest,
  manifestText,
  parseManifest,
} from '../../src/backup/backup-manifest.ts'

const sha256 = 'ab'.repeat(32)
const manifest: BackupManifest = {
  format: 2,
  createdAt: '2030-01-01T00:00:00.000Z',
  store: 'sqlite',
  migrations: Object.keys(migrations).toSorted(),
  revisions: { directory: 7, 'signing-keys': 2 },
  keyEncryptionKeyId: 'AbCdEf',
  sealedKeySha256: null,
  tables: [{ name: 'tenant', rows: 1, bytes: 100, sha256 }],
}
const text = manifestText(manifest)
const damaged = { code: 'backup_damaged', message: 'the manifest.json is damaged' }

describe('the manifest of a backup', () => {
  it('returns the written values when it is read', () => {
    const { sha256: _, ...read } = parseManifest(text)
    assert.deepEqual(read, manifest)
  })

  it('is damaged if any single bit of it is wrong', () => {
    const bytes = Buffer.from(text)
    let refused = 0
    for (let index = 0; index < bytes.length; index += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const copy = Buffer.from(bytes)
        copy[index] = (copy[index] ?? 0) ^ (1 << bit)
        assert.throws(() => parseManifest(copy.toString()), damaged, `bit ${bit} of byte ${index}`)
        refused += 1
      }
    assert.equal(refused, bytes.length * 8)
  })

  const cut: readonly [string, string][] = [
    ['without its last line', text.slice(0, -2)],
    ['without its checksum', JSON.stringify(manifest)],
    ['with additional content at the end', `${text}\n`],
    ['that is empty', ''],
  ]
  for (const [what, changed] of cut)
    it(`is damaged ${what}`, () => {
      assert.throws(() => parseManifest(changed), damaged)
    })

  const later: readonly [string, object][] = [
    ['a later format', { ...manifest, format: 3, new: true }],
    ['a later migration', { ...manifest, migrations: [...manifest.migrations, '2100-later'] }],
  ]
  for (const [what, content] of later)
    it(`reports a later release for ${what} with a checksum, and damage without a checksum`, () => {
      const newer = { code: 'backup_newer' }
      assert.throws(() => parseManifest(manifestText(content as BackupManifest)), newer)
      assert.throws(() => parseManifest(JSON.stringify(content)), damaged)
    })

  const early: readonly [string, string][] = [
    ['with a checksum', manifestText({ ...manifest, migrations: ['2026-12-07-first-schema'] })],
    [
      'of format 1',
      JSON.stringify({ ...manifest, format: 1, migrations: ['2026-11-22-a', '2026-11-23-b'] }),
    ],
    [
      'of format 1 with other tables',
      JSON.stringify({ format: 1, migrations: ['a'], tables: [{ name: 'object' }] }),
    ],
  ]
  for (const [what, changed] of early)
    it(`${what} is from an early release, and its error names the remedy`, () => {
      assert.throws(() => parseManifest(changed), {
        code: 'backup_older',
        message:
          /^an early release made the backup.+restore it with that release.+registrations export/,
      })
    })

  it('may have no checksum in an earlier format', () => {
    const earlier = { ...manifest, format: 1 }
    assert.deepEqual(parseManifest(`${JSON.stringify(earlier, null, 2)}\n`), earlier)
  })
})
