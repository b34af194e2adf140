import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 25
// No honest holder needs longer: a token request has a deadline of some seconds.
const staleMs = 30_000

/** Whether the process that made the lock is gone, or has forgotten it. */
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

async function tryToTake(path: string): Promise<boolean> {
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
 * Runs work while no other process holds the lock file; after `patienceMs` without it, anyway: the
 * lock saves work, and nothing depends on it.
 */
export async function withFileLock<Value>(
  path: string,
  patienceMs: number,
  work: () => Promise<Value>,
): Promise<Value> {
  const endMs = performance.now() + patienceMs
  let taken = await tryToTake(path)
  while (!taken && performance.now() < endMs) {
    if (await isAbandoned(path)) await rm(path, { force: true })
    else await sleep(pollMs)
    taken = await tryToTake(path)
  }
  try {
    return await work()
  } finally {
    if (taken) await rm(path, { force: true })
  }
}
