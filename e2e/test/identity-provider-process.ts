import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { environment, root } from './greeting-process.ts'

/** The identity provider alone, as a process. */
export type IdentityProvider = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts it on a free port and resolves when it listens. */
export async function startIdentityProvider(
  dataDir: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<IdentityProvider> {
  const main = join(root, 'services/identity-provider/src/main.ts')
  const child = spawn('node', [main], {
    env: { ...environment, PORT: '0', DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  return {
    url: await listeningUrl(child),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function listeningUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('The process has no output.')
  for await (const line of createInterface(stdout)) {
    const { msg, url } = JSON.parse(line)
    if (msg !== 'listening') continue
    stdout.resume()
    return url
  }
  throw new Error('The identity provider did not start.')
}
