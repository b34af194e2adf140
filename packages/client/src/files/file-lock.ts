import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 25
// A holder needs a few seconds at most, because a token request has a deadline.
const staleMs = 30_000

/** True if the process that created the lock has ended, or has held it for too long. */
async function isAbandoned(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
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
export async function withFileLock<Value>(
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
