import { join } from 'node:path'
import type { TokenPool } from './token-pool.ts'

/** The requests of one load: a GET with one token after another, or a POST of one form. */
export type Load = {
  readonly url: string
  readonly connections: number
  readonly tokens?: TokenPool & {
    /** Whether none of them may be sent twice. */
    readonly everyOneNew: boolean
  }
  /** The file that holds the form body. */
  readonly form?: string
}

/**
 * A program that makes load until it is interrupted: how it is told, from the arguments of `load/`. It
 * says `ready` once it has begun, and at its end what it saw, in a line of JSON.
 */
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
    '--duration=1h',
    // Longer than it has to wait for its next turn.
    '--timeout=10s',
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
    String(load.connections),
    ...scriptArguments(load),
  ],
}
