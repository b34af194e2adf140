import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { killAtExit } from '../harness/child-processes.ts'
import { repositoryFolder } from '../harness/programs.ts'

export type RunningSystem = {
  readonly startToReadyMs: number
  readonly apiUrl: string
  readonly identityProviderUrl: string
  /** The settings file of the first client. */
  readonly clientEnvFile: string
  readonly logFolder: string
  stop(): Promise<void>
}

/** Starts both services with `npm start` in a data folder, on free ports. */
export async function startSystem(
  dataDir: string,
  options: readonly string[] = [],
): Promise<RunningSystem> {
  const ports = ['--api-port', '0', '--identity-port', '0']
  const args = ['start', '--silent', '--', '--json', '--data-dir', dataDir, ...ports, ...options]
  const startedMs = performance.now()
  const child = killAtExit(
    spawn('npm', args, { cwd: repositoryFolder, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-10_000)
  })
  child.once('close', (code) => reject(new Error(`npm start ended with ${code}: ${complaints}`)))
  createInterface({ input: child.stdout }).once('line', resolve)
  const ready = JSON.parse(await promise)
  const startToReadyMs = performance.now() - startedMs
  return {
    startToReadyMs,
    apiUrl: ready.api.url,
    identityProviderUrl: ready.identityProvider.url,
    clientEnvFile: ready.clientEnvFile,
    logFolder: ready.logFolder,
    stop: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
    },
  }
}
