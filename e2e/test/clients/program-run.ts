import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { environment } from '../greeting-process.ts'
import type { Settings } from '../shared-system.ts'
import type { Section } from './client-page.ts'

/** The output of the lines of a page. */
export type ProgramRun = {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const longestRunMs = 30_000

/**
 * Runs the lines of a page in a separate shell, with no environment except the settings. Node receives
 * the module unchanged.
 *
 * @param folder the working folder, from which Node resolves the imports of the module
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
  // A shell that does not read its input may end before this write.
  child.stdin.on('error', () => {})
  child.stdin.end(module)
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { exitCode, stdout, stderr }
}
