// Folder: Files with settings, and private folders.

import type { Stats } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'

/** Settings by name, as in an environment. */
export type Settings = Readonly<Record<string, string | undefined>>

/** Reads a settings file in dotenv format. Returns `undefined` when it does not exist. */
export async function readEnvFile(path: string): Promise<Settings | undefined> {
  try {
    return parseEnv(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const writableByOthers = 0o022

/** Whether a user other than this one and root can change a file or folder. */
export const isChangeableByOthers = ({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean =>
  process.getuid !== undefined &&
  (![0, process.getuid()].includes(uid) || (mode & writableByOthers) !== 0)

// Characters that a shell and every dotenv reader accept without quotes, except a leading tilde.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/
const replaced = /(?:^|[:=])~/

// The identity provider has its own copy of this rule, because no import between the two is
// allowed.
function lineOf([name, value]: readonly [string, string | undefined]): string {
  if (value === undefined) return ''
  if (plain.test(value) && !replaced.test(value)) return `${name}=${value}\n`
  if (!/['\r]/.test(value)) return `${name}='${value}'\n`
  if (!/["$`\\\r]/.test(value)) return `${name}="${value}"\n`
  throw new Error(`${name} cannot be written to a settings file`)
}

/** Writes a settings file that a shell can source, readable by its owner only, atomically. */
export async function writeEnvFile(path: string, settings: Settings): Promise<void> {
  const text = Object.entries(settings).map(lineOf).join('')
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
