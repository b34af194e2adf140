import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { environment } from '../greeting-process.ts'
import type { Settings } from '../shared-system.ts'
import type { Section } from './client-page.ts'

/** The output of the commands on a page. */
export type ProgramRun = {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const longestRunMs = 60_000

/**
 * Runs the lines of a page in a separate shell, with no environment except the settings. Node receives
 * the module unchanged.
 *
 * @param folder the working folder, from which Node resolves the imports of the module
 */
export function runSection(
  { shell, module }: Section,
  settings: Settings,
  folder: string,
): Promise<ProgramRun> {
  const node = module === undefined ? '' : 'exec node --input-type=module'
  return runProcess('sh', ['-eu', '-c', `${shell}\n${node}`], settings, folder, module)
}

async function runProcess(
  command: string,
  args: readonly string[],
  settings: Settings,
  folder: string,
  input: string | undefined,
): Promise<ProgramRun> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...environment, ...settings },
    timeout: longestRunMs,
  })
  // A program that does not read its input may end before this write.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { exitCode, stdout, stderr }
}

/** A module of a page with the settings for one run. */
export type Program = { readonly module: string; readonly settings: Settings }

/** A file with a module, and its environment. */
export type HostedProgram = { readonly file: string; readonly environment: NodeJS.ProcessEnv }

export type HostedRuns = {
  /** One run for each module. Its exit code is 1 after an uncaught error, which `stderr` contains. */
  readonly runs: readonly ProgramRun[]
  /** The process in which the modules ran. */
  readonly process: ProgramRun
}

/**
 * Runs modules unchanged, one after another in one process, because programs spend most of their
 * time loading packages. The process ends when no module has left anything that keeps it alive.
 *
 * @param settings the variables that Node reads at its start
 */
export async function runModules(
  programs: readonly Program[],
  settings: Settings,
  folder: string,
): Promise<HostedRuns> {
  const hosted = await Promise.all(
    programs.map(async ({ module, settings }, index): Promise<HostedProgram> => {
      const file = join(folder, `program-${index}.mjs`)
      await writeFile(file, module)
      return { file, environment: { ...environment, ...settings } }
    }),
  )
  const host = join(import.meta.dirname, 'program-host.ts')
  const process = await runProcess('node', [host], settings, folder, JSON.stringify(hosted))
  return { runs: process.stdout === '' ? [] : JSON.parse(process.stdout), process }
}
