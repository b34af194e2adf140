import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pinned } from './cores.ts'
import { type LoadReport, readLoadReport } from './load-report.ts'
import type { TokenPool } from './token-pool.ts'

/** The requests of one load: a GET with one token after another, or a POST of one form. */
export type Load = {
  readonly url: string
  readonly seconds: number
  /** Ends after so many requests instead, for a run that only proves that everything runs. */
  readonly requests?: number
  readonly connections: number
  readonly tokens?: TokenPool & {
    /** Whether none of them may be sent twice. */
    readonly everyOneNew: boolean
  }
  /** The file that holds the form body. */
  readonly form?: string
}

/** A program that makes load: how it is told, from the arguments of `load/`. */
export type LoadGenerator = {
  readonly name: 'wrk' | 'autocannon'
  command(load: Load): string[]
}

const loadFolder = join(import.meta.dirname, '..', 'load')

/** What both programs are told after their own options. */
const scriptArguments = ({ tokens, form }: Load): string[] => [
  tokens?.path ?? '-',
  String(tokens?.count ?? 0),
  form ?? '-',
]

export const wrk: LoadGenerator = {
  name: 'wrk',
  command: (load) => [
    'wrk',
    '--latency',
    '--threads=1',
    `--connections=${load.connections}`,
    `--duration=${load.seconds}s`,
    '--timeout=5s',
    `--script=${join(loadFolder, 'wrk.lua')}`,
    load.url,
    '--',
    ...scriptArguments(load),
  ],
}

/** The generator from npm, for machines without wrk. It is slower, and bounds the fastest rows. */
export const autocannon: LoadGenerator = {
  name: 'autocannon',
  command: (load) => [
    process.execPath,
    join(loadFolder, 'autocannon.ts'),
    load.url,
    String(load.seconds),
    String(load.requests ?? 0),
    String(load.connections),
    ...scriptArguments(load),
  ],
}

/** Makes the load from the given cores and returns what came back. */
export async function makeLoad(
  generator: LoadGenerator,
  load: Load,
  cores: readonly number[],
): Promise<LoadReport> {
  const [program = '', ...rest] = pinned(cores, generator.command(load))
  const { stdout } = await promisify(execFile)(program, rest)
  return readLoadReport(stdout)
}
