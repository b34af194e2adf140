import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
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

// What a shell and every reader of dotenv files take as it stands.
const plain = /^[A-Za-z0-9_@%+=:,./~-]*$/

function lineOf([name, value]: readonly [string, string | undefined]): string {
  if (value === undefined) return ''
  if (plain.test(value)) return `${name}=${value}\n`
  if (/['\r\n]/.test(value)) throw new Error(`${name} cannot be written to a file of settings`)
  return `${name}='${value}'\n`
}

/**
 * Writes a file of settings that a shell can source, readable by its owner only, whole or not at all.
 */
export async function writeEnvFile(path: string, settings: Settings): Promise<void> {
  const text = Object.entries(settings).map(lineOf).join('')
  const draft = `${path}.${process.pid}.new`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await chmod(draft, 0o600)
  await rename(draft, path)
}
