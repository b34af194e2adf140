import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'

/** Settings by name, as an environment or a file of them holds them. */
export type Settings = Readonly<Record<string, string | undefined>>

/** Reads a file of settings in dotenv format, or undefined when there is none. */
export async function readEnvFile(path: string): Promise<Settings | undefined> {
  try {
    return parseEnv(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

// What a shell and every reader of dotenv files take as it stands, but for a tilde that a shell replaces.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/
const replaced = /(?:^|[:=])~/

// The identity provider has the same rule for its own file; a wall stands between the two.
function lineOf([name, value]: readonly [string, string | undefined]): string {
  if (value === undefined) return ''
  if (plain.test(value) && !replaced.test(value)) return `${name}=${value}\n`
  if (!/['\r]/.test(value)) return `${name}='${value}'\n`
  if (!/["$`\\\r]/.test(value)) return `${name}="${value}"\n`
  throw new Error(`${name} cannot be written to a settings file`)
}

/**
 * Writes a file of settings that a shell can source, readable by its owner only, whole or not at all.
 */
export async function writeEnvFile(path: string, settings: Settings): Promise<void> {
  const text = Object.entries(settings).map(lineOf).join('')
  // In a folder that others may write to, a name that can be guessed may be a link of theirs.
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    throw cause
  }
}
