import { type Running, startProcess } from '../deploy/running/process.ts'
import { cores } from './machine.ts'

export type ServerProcess = Running

type ServerCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Working directory of the process. */
  readonly folder: string
  /** Address of a server that prints no line when it listens; it is polled instead. */
  readonly pollUrl?: string
}

/** A command line that stays on the core of the servers. */
export const onServerCore = (command: readonly string[]): string[] => [
  ...['taskset', '-c', String(cores().server)],
  ...command,
]

/** Starts a server on its core and waits until it listens. */
export const startServer = ({ command, environment, ...options }: ServerCommand) =>
  startProcess(onServerCore(command), { ...environment, NODE_ENV: 'production' }, options)
