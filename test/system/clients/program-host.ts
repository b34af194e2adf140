import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { HostedProgram, ProgramRun } from './program-run.ts'

// Runs the modules that its input names, one after another with their environments, and prints a list of runs.

/** Node prints an uncaught error with these options. */
const asNodeDoes = { customInspect: false, depth: 5 }

const programs: readonly HostedProgram[] = JSON.parse(await text(process.stdin))

async function runOf({ file, environment }: HostedProgram): Promise<ProgramRun> {
  const output = { stdout: '', stderr: '' }
  const streams = ['stdout', 'stderr'] as const
  const { stdout, stderr } = process
  const writes = { stdout: stdout.write, stderr: stderr.write }
  for (const stream of streams)
    process[stream].write = (chunk: string | Uint8Array) => {
      output[stream] += chunk
      return true
    }
  process.env = environment
  try {
    await import(pathToFileURL(file).href)
    return { ...output, exitCode: 0 }
  } catch (error) {
    return { ...output, stderr: output.stderr + inspect(error, asNodeDoes), exitCode: 1 }
  } finally {
    for (const stream of streams) process[stream].write = writes[stream]
  }
}

const runs: ProgramRun[] = []
for (const program of programs) runs.push(await runOf(program))
process.stdout.write(JSON.stringify(runs))
