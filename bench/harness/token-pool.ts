import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { accessToken } from './access-token.ts'
import type { Scene } from './scene.ts'

/** A file of distinct signed tokens, one a line. */
export type TokenPool = { readonly path: string; readonly count: number }

/**
 * Signs distinct tokens on every core and writes them to a file in the given folder.
 *
 * @param count how many, at least
 */
export async function createTokenPool(
  scene: Scene,
  count: number,
  folder: string,
): Promise<TokenPool> {
  const workers = availableParallelism()
  const share = Math.ceil(count / workers)
  const parts = await Promise.all(
    Array.from({ length: workers }, () => signedElsewhere(scene, share)),
  )
  const path = join(folder, `tokens-${count}.txt`)
  // One part after the other: all together can be longer than a string may be.
  for (const part of parts) await appendFile(path, part, { mode: 0o600 })
  return { path, count: share * workers }
}

/** Signs on a thread of its own, and returns when that thread has ended. */
async function signedElsewhere(scene: Scene, count: number): Promise<string> {
  const worker = new Worker(new URL('token-pool-worker.ts', import.meta.url), {
    workerData: { scene, count },
  })
  const [[lines]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')])
  return lines
}

/**
 * How many RS256 signatures one core of this machine verifies in a second: no server can accept
 * more new tokens than that, so it bounds the pool that a run can use up.
 *
 * @param measuringMs how long to count
 */
export function verificationsPerSecond(scene: Scene, measuringMs: number): number {
  const publicKey = createPublicKey(scene.keys[0].privateKey)
  const token = accessToken(scene)
  const end = token.lastIndexOf('.')
  const input = Buffer.from(token.slice(0, end))
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  const started = performance.now()
  let verified = 0
  while (performance.now() - started < measuringMs) {
    if (verify('sha256', input, publicKey, signature)) verified++
  }
  return (verified / (performance.now() - started)) * 1000
}
