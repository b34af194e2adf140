import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { environment } from '../greeting-process.ts'
import type { Settings } from '../shared-system.ts'
import type { Section } from './client-page.ts'

/** What a reader who ran the lines of a page would see. */
export type ProgramRun = {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const longestRunMs = 30_000

/**
 * Runs the lines of a page in a shell of their own, which knows the settings and nothing else. The
 * module is given to Node as it stands.
 *
 * @param folder Where the shell is, and where Node finds what the module imports.
 */
export async function runSection(
  { shell, module }: Section,
  settings: Settings,
  folder: string,
): Promise<ProgramRun> {
  const node = module === undefined ? '' : 'exec node --input-type=module'
  const child = spawn('sh', ['-eu', '-c', `${shell}\n${node}`], {
    cwd: folder,
    env: { ...environment, ...settings },
    timeout: longestRunMs,
  })
  // A shell that reads nothing may be gone before this is written.
  child.stdin.on('error', () => {})
  child.stdin.end(module)
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { exitCode, stdout, stderr }
}
