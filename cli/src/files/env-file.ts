// Folder: Files with settings, and private folders.

import { createReadStream, type Stats, statSync } from 'node:fs'
import { lstat, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { textOfFile } from '@greeting/client/files'
import { CommandFailure } from '../exit-codes.ts'

/** Settings by name, as in an environment. */
export type Settings = Readonly<Record<string, string | undefined>>

const maxFileBytes = 1_048_576
const tooLong = new Error(`it has more than ${maxFileBytes} bytes`)

/**
 * Reads a settings file in dotenv format. Returns `undefined` when it does not exist. A pipe or device is
 * read only if the user named it, such as `--settings <(...)`, because it may never end.
 *
 * @throws {Error} when it cannot be read, is not UTF-8, or has more than 1 MiB.
 */
export async function readEnvFile(path: string, isNamed = false): Promise<Settings | undefined> {
  try {
    const found = await stat(path)
    if (found.size > maxFileBytes) throw tooLong
    if (found.isFile() || found.isDirectory())
      return parseEnv(textOfFile(await readFile(path), path))
    if (!isNamed) throw new Error('it is not a regular file')
    return parseEnv(await readToEnd(createReadStream(path), path))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function readToEnd(stream: AsyncIterable<Buffer>, name: string): Promise<string> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length > maxFileBytes) throw tooLong
  }
  return textOfFile(bytes, name)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a file has this name',
  EISDIR: 'a folder has this name',
  ENOENT: 'its path does not exist, and cannot be created',
}

/** Why a file or folder cannot be used. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}

/** Reports a file of the data folder that cannot be written. */
export const cannotWrite = (path: string) => (cause: unknown) => {
  const remedy = 'Choose another folder with --data-dir, or fix this one.'
  throw new CommandFailure('failed', `Cannot write ${path}: ${reasonOf(cause)}`, { cause, remedy })
}

/**
 * Reads a settings file of a command; `-` is the standard input, for example of `kubectl exec --stdin`.
 *
 * @param isNamed whether the user named the file
 * @throws {CommandFailure} bad_usage when it cannot be read.
 */
export async function readSettingsFile(
  path: string,
  isNamed: boolean,
): Promise<Settings | undefined> {
  const [name, settings] =
    path === '-'
      ? ['the standard input', readToEnd(process.stdin, path).then(parseEnv)]
      : [path, readEnvFile(path, isNamed)]
  return settings.catch((cause) => {
    throw new CommandFailure('bad_usage', `Cannot read ${name}: ${reasonOf(cause)}`, { cause })
  })
}

const writableByOthers = 0o022
const [typeOfFile, folderWithLimitedDeletion] = [0o171000, 0o041000]

/** Whether a user other than this one and root can change a file, or replace the files of a folder. */
export const isChangeableByOthers = ({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean =>
  process.getuid !== undefined &&
  (![0, process.getuid()].includes(uid) ||
    ((mode & writableByOthers) !== 0 && (mode & typeOfFile) !== folderWithLimitedDeletion))

/** The file, its folder or a link to one of them that another user can change. */
export async function changeablePart(path: string): Promise<string | undefined> {
  const real = await realpath(path)
  for (const part of [dirname(path), path, dirname(real), real]) {
    const found = await lstat(part)
    // The mode of a link has no effect.
    const mode = found.isSymbolicLink() ? 0 : found.mode
    if (isChangeableByOthers({ uid: found.uid, mode })) return part
  }
  return undefined
}

export const isReadableByOthers = async (path: string): Promise<boolean> =>
  process.getuid !== undefined && path !== '-' && ((await stat(path)).mode & 0o077) !== 0

/** A fault for each setting that its reader did not see, because a byte order mark is in its name. */
export const markFaults = (settings: Settings, names: readonly string[]): string[] =>
  names
    .filter((name) => `\ufeff${name}` in settings)
    .map((name) => `${name} has a byte order mark (U+FEFF) before its name`)

/** What to do in a subfolder: names the nearest folder above that has the file, if any. */
export function remedyInSubfolder(file: string, below = process.cwd()): string | undefined {
  const folder = dirname(below)
  if (folder === below) return undefined
  const path = join(folder, file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || isChangeableByOthers(found)) return remedyInSubfolder(file, folder)
  return `Run the command in ${folder}, which has ${file}, or add --settings ${JSON.stringify(path)}.`
}

// Characters that a shell and every dotenv reader accept without quotes, except a leading tilde.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/
const replaced = /(?:^|[:=])~/
const otherControls = /[^\P{Cc}\n\t]/u

/**
 * A line of a settings file, which a shell can also source. The identity provider has its own copy
 * of this rule, because no import between the two is allowed.
 *
 * @throws {Error} when no quotes can hold the value
 */
export function envLine(name: string, value: string | undefined): string {
  if (value === undefined) return ''
  if (otherControls.test(value)) throw new Error(`${name} cannot be written to a settings file`)
  if (plain.test(value) && !replaced.test(value)) return `${name}=${value}\n`
  if (!value.includes("'")) return `${name}='${value}'\n`
  if (!/["$`\\]/.test(value)) return `${name}="${value}"\n`
  throw new Error(`${name} cannot be written to a settings file`)
}

/** Writes a settings file that a shell can source, readable by its owner only, atomically. */
export async function writeEnvFile(path: string, settings: Settings): Promise<void> {
  const text = Object.entries(settings)
    .map(([name, value]) => envLine(name, value))
    .join('')
  // A random name: in a folder that others can write to, a predictable name may be their link.
  const draft = `${path}.${crypto.randomUUID()}`
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    throw cause
  }
}
