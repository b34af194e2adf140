import {
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenCache } from '../token/token-cache.ts'
import { replaceFile } from './replace-file.ts'

type Entries = Record<string, { readonly value: string; readonly endsMs: number }>

// Longer than most token requests, and shorter than the deadline of a job.
const maxLockWaitMs = 5_000

// Windows does not have these flags, modes and owners.
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function isPrivate(file: FileHandle): Promise<boolean> {
  const stats = await file.stat()
  if (!stats.isFile()) return false
  if (process.platform === 'win32') return true
  return stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0
}

/** The entries of the file. None if the file is not private or not valid. */
async function readEntries(path: string): Promise<Entries> {
  let file: FileHandle | undefined
  try {
    // Opened once, so that the checked file is the file that is read.
    file = await open(path, openFlags)
    if (!(await isPrivate(file))) return {}
    const entries: unknown = JSON.parse(await file.readFile('utf8'))
    return typeof entries === 'object' && entries !== null ? (entries as Entries) : {}
  } catch {
    return {}
  } finally {
    await file?.close()
  }
}

const maxCacheBytes = 16_777_216

const isEntry = (entry: unknown) => {
  const { value, endsMs } = Object(entry)
  return typeof value === 'string' && typeof endsMs === 'number'
}

/** @throws {Error} when a file is there that no token cache has written */
async function requireReplaceable(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  // `mktemp` makes an empty file.
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return
  if (stats.isFile() && stats.size <= maxCacheBytes) {
    const text = await readFile(path, 'utf8')
    if (text.startsWith('{"') && Object.values(JSON.parse(text)).every(isEntry)) return
  }
  throw new Error(`the file ${path} is no token cache, so it is not replaced`)
}

/**
 * A token cache in a file, for jobs that are a new process each time. Only its owner can read it. It is
 * replaced as a whole, and locked, so that jobs that start together make one token request.
 *
 * A file that other users can read or write, or that belongs to another user is ignored. A file that
 * is no token cache is ignored too, and never replaced.
 *
 * @param path of the file; a missing folder is created
 * @throws {TypeError} if the path is empty
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
      await makeFolder(dirname(path))
      await withFileLock(`${path}.lock`, maxLockWaitMs, async () => {
        await requireReplaceable(path)
        const nowMs = Date.now()
        const entries = Object.entries(await readEntries(path))
        const valid = entries.filter(([, entry]) => entry?.endsMs > nowMs)
        const endsMs = nowMs + lifetimeSeconds * 1000
        await replaceFile(
          path,
          JSON.stringify({ ...Object.fromEntries(valid), [key]: { value, endsMs } }),
        )
      })
    },
    exclusively: async (key, work) => {
      await makeFolder(dirname(path))
      return withFileLock(`${path}.${key.slice(0, 16)}.lock`, maxLockWaitMs, work)
    },
  }
}

/**
 * Creates a folder and the missing ones above it, readable by their owner only. An existing folder
 * remains unchanged.
 *
 * The recursive `mkdir` of Node never ends where a file system answers ENOENT to a new name in an
 * existing folder, as `/proc` does. The command and the identity provider have copies of this
 * function, because imports between the three are not allowed.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (cause) {
    const isParentMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!isParentMissing || dirname(path) === path) throw cause
    await makeFolder(dirname(path))
    await makeOne(path)
  }
}

const makeOne = (path: string) =>
  mkdir(path, { mode: 0o700 }).catch(async (cause: unknown) => {
    // A file system can refuse an existing folder with another code than EEXIST.
    const found = await stat(path).catch(() => undefined)
    if (!found?.isDirectory()) throw cause
  })

const pollMs = 25
// A holder needs a few seconds at most, because a token request has a deadline.
const staleMs = 30_000

/** True if the process that created the lock has ended, or has held it for too long. */
async function isAbandoned(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    // A file of another program can have this name, such as `yarn.lock`.
    if (!/^\d{0,10}$/.test(text)) return false
    if (Date.now() - mtimeMs > staleMs) return true
    const holder = Number(text)
    if (!Number.isInteger(holder) || holder <= 0) return false
    process.kill(holder, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(String(process.pid)).finally(() => file.close())
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/**
 * Runs the work while no other process holds the lock file. After `maxWaitMs` the work runs without
 * the lock: it saves requests, and correctness does not depend on it.
 */
async function withFileLock<Value>(
  path: string,
  maxWaitMs: number,
  work: () => Promise<Value>,
): Promise<Value> {
  const endMs = performance.now() + maxWaitMs
  let isLocked = await tryLock(path)
  while (!isLocked && performance.now() < endMs) {
    if (await isAbandoned(path)) await rm(path, { force: true })
    else await sleep(pollMs)
    isLocked = await tryLock(path)
  }
  try {
    return await work()
  } finally {
    if (isLocked) await rm(path, { force: true })
  }
}
