import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupError } from './backup-error.ts'

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

// 128 MiB and about half a second for one guess (RFC 7914 section 2).
const cost = { N: 131_072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const [saltBytes, keyBytes, nonceBytes, tagBytes] = [16, 32, 12, 16]
const cipher = 'aes-256-gcm'
const format = 'scrypt-aes256gcm-v1'

/** Encrypts the text of a key file with a passphrase. */
export async function sealKey(keyText: string, passphrase: string): Promise<string> {
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
export async function openKey(sealedText: string, passphrase: string): Promise<string> {
  const [version, ...parts] = sealedText.trim().split('.', 4)
  const [salt, nonce, sealed] = parts.map((part) => Buffer.from(part, 'base64url'))
  const isForm =
    version === format && salt?.length === saltBytes && nonce?.length === nonceBytes && sealed
  try {
    if (!isForm || sealed.length < tagBytes) throw new TypeError('The form is wrong.')
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
