import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'

const ownerOnly = 0o600
const othersMask = 0o077
const onWindows = process.platform === 'win32'

export type KeyFileOptions = {
  /** Path of the key file. */
  readonly path: string
  /** Whether there are keys already that only an existing file can open: then none is made. */
  readonly keysExist: boolean
}

/**
 * The key-encryption key in a file of mode 0600, made when there is none and nothing is encrypted
 * yet. Processes that start at the same time agree on one file.
 *
 * @throws {SigningError} KEY_ENCRYPTION_KEY_MISSING when keys exist and the file does not;
 *   KEY_FILE_EXPOSED when others may read it; KEY_ENCRYPTION_KEY_MALFORMED when it holds no key;
 *   KEY_FILE_UNUSABLE when the system refuses to read or write it.
 */
export async function keyFromFile({ path, keysExist }: KeyFileOptions): Promise<KeyEncryptionKey> {
  try {
    if (!keysExist && !(await exists(path))) await create(path)
    return await read(path)
  } catch (cause) {
    if (cause instanceof SigningError) throw cause
    if (isCode(cause, 'ENOENT') && keysExist) {
      throw new SigningError(
        'KEY_ENCRYPTION_KEY_MISSING',
        `The stored keys are encrypted and their key file ${path} is missing: restore it, or set KEY_ENCRYPTION_KEY. Nothing was changed.`,
        { cause },
      )
    }
    throw new SigningError(
      'KEY_FILE_UNUSABLE',
      `The key file ${path} cannot be used: ${(cause as Error).message}`,
      { cause },
    )
  }
}

async function read(path: string): Promise<KeyEncryptionKey> {
  const { mode } = await stat(path)
  // Windows has no such modes; there the folder's own access list protects the file.
  if (!onWindows && (mode & othersMask) !== 0) {
    throw new SigningError(
      'KEY_FILE_EXPOSED',
      `The key file ${path} may be read by others than its owner (mode ${(mode & 0o777).toString(8)}): run chmod 600 on it.`,
    )
  }
  const text = await readFile(path, 'utf8')
  try {
    return KeyEncryptionKey.parse(text.trimEnd())
  } catch (cause) {
    throw new SigningError(
      'KEY_ENCRYPTION_KEY_MALFORMED',
      `The key file ${path} must hold the base64 form of 32 bytes and nothing else.`,
      { cause },
    )
  }
}

async function create(path: string): Promise<void> {
  // Written whole and durable under another name first: a crash leaves no half a key, and `link`
  // does not replace the file of a process that was faster.
  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', ownerOnly)
    try {
      await file.writeFile(`${KeyEncryptionKey.generate().toBase64()}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path).catch((cause) => {
      if (!isCode(cause, 'EEXIST')) throw cause
    })
  } finally {
    await rm(draft, { force: true })
  }
  if (onWindows) return
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    (cause) => {
      if (isCode(cause, 'ENOENT')) return false
      throw cause
    },
  )

const isCode = (cause: unknown, code: string) => (cause as NodeJS.ErrnoException).code === code
