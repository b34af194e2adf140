import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Writes one line for a person to read. */
export type Print = (line: string) => void

const preloaded = pathToFileURL(join(import.meta.dirname, 'broken-source.ts')).href

/** Calls `run` with an environment in which every process loads a broken text for one source file. */
export async function withBrokenSource<T>(
  file: string,
  source: string,
  run: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const brokenText = join(tmpdir(), `mutant-${randomUUID()}.ts`)
  writeFileSync(brokenText, source)
  try {
    return await run({
      ...process.env,
      MUTANT_FILE: file,
      MUTANT_SOURCE: brokenText,
      NODE_OPTIONS: `--import=${preloaded}`,
    })
  } finally {
    rmSync(brokenText)
  }
}

const longestRunMs = 120_000

/**
 * Runs test files in one process until the first failure.
 *
 * @returns the name of the test that failed, or undefined when all pass
 */
export function firstFailure(
  files: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  // Without a file, Node would run every test.
  if (files.length === 0) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const args = ['--test', '--test-isolation=none', '--test-reporter=tap', ...files]
  const run = spawn(process.execPath, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  const end = (caughtBy: string | undefined) => {
    clearTimeout(timer)
    resolve(caughtBy)
    try {
      // Some tests start processes, so kill the whole group.
      if (run.exitCode === null && run.pid !== undefined) process.kill(-run.pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
  const timer = setTimeout(() => end('the tests do not end'), longestRunMs)
  run.stdout.on('data', (chunk) => {
    output += chunk
    const failed = /^ *not ok \d+ - (.*)$/m.exec(output)?.[1]
    if (failed !== undefined && run.exitCode === null) end(failed)
    output = output.slice(output.lastIndexOf('\n') + 1)
  })
  run.on('exit', (code) => end(code === 0 ? undefined : 'the tests do not run'))
  return promise
}
