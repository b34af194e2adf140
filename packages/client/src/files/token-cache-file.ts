import {
  chmod,
  constants,
  type FileHandle,
  mkdir,
  open,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TokenCache } from '../token/token-cache.ts'
import { withFileLock } from './file-lock.ts'

type Entries = Record<string, { readonly value: string; readonly endsMs: number }>

// Longer than a token request usually takes, shorter than a job wants to wait for somebody else's.
const patienceMs = 5_000

// Windows has no such flag, and no modes and owners of this kind.
const readOwnFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function isOursAlone(file: FileHandle): Promise<boolean> {
  const stats = await file.stat()
  if (!stats.isFile()) return false
  if (process.platform === 'win32') return true
  return stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
}

/** What the file holds; nothing, if it is not ours alone or not what we write. */
async function readEntries(path: string): Promise<Entries> {
  let file: FileHandle | undefined
  try {
    // Opened once: what is judged is what is read.
    file = await open(path, readOwnFile)
    if (!(await isOursAlone(file))) return {}
    const entries: unknown = JSON.parse(await file.readFile('utf8'))
    return typeof entries === 'object' && entries !== null ? (entries as Entries) : {}
  } catch {
    return {}
  } finally {
    await file?.close()
  }
}

async function writeEntries(path: string, entries: Entries): Promise<void> {
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    await writeFile(draft, JSON.stringify(entries), { mode: 0o600, flag: 'wx' })
    await chmod(draft, 0o600)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * A token cache in a file, for jobs that are a new process each time: readable by its owner only,
 * replaced whole, and locked, so that jobs that start together make one token request.
 *
 * A file that is broken, that others may read or write, or that belongs to another user counts as
 * empty.
 *
 * @param path Path of the file; its folder is made if need be.
 * @throws {TypeError} when the path is empty.
 * @example
 * const cache = tokenCacheFile('/var/cache/greeting/tokens.json')
 */
export function tokenCacheFile(path: string): TokenCache {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    get: async (key) => {
      const entry = (await readEntries(path))[key]
      return typeof entry?.value === 'string' ? entry.value : undefined
    },
    set: async (key, value, lifetimeSeconds) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await withFileLock(`${path}.lock`, patienceMs, async () => {
        const nowMs = Date.now()
        const entries = Object.entries(await readEntries(path))
        const living = entries.filter(([, entry]) => entry?.endsMs > nowMs)
        const endsMs = nowMs + lifetimeSeconds * 1000
        await writeEntries(path, { ...Object.fromEntries(living), [key]: { value, endsMs } })
      })
    },
    exclusively: async (key, work) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return withFileLock(`${path}.${key.slice(0, 16)}.lock`, patienceMs, work)
    },
  }
}
