import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { accessToken } from './access-token.ts'
import type { Scene } from './scene.ts'

/** A file of distinct signed tokens, one a line. */
export type TokenPool = { readonly path: string; readonly count: number }

/**
 * Signs distinct tokens on every core and writes them to a file.
 *
 * @param count how many, at least
 */
export async function createTokenPool(
  scene: Scene,
  count: number,
  path: string,
): Promise<TokenPool> {
  const workers = availableParallelism()
  const share = Math.ceil(count / workers)
  const parts = await Promise.all(
    Array.from({ length: workers }, () => signedElsewhere(scene, share)),
  )
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
 * How many RS256 signatures one core of this machine verifies in a second, at its best: no server can
 * accept more new tokens than that, so it bounds the pool that a run can use up.
 */
export function verificationsPerSecond(scene: Scene): number {
  const publicKey = createPublicKey(scene.keys[0].privateKey)
  const token = accessToken(scene)
  const end = token.lastIndexOf('.')
  const input = Buffer.from(token.slice(0, end))
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  let shortestMs = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 20; turn++) {
    const started = performance.now()
    for (let index = 0; index < 500; index++) verify('sha256', input, publicKey, signature)
    shortestMs = Math.min(shortestMs, performance.now() - started)
  }
  return (500 / shortestMs) * 1000
}
