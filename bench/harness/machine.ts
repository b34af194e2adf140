import { cpus, release, totalmem } from 'node:os'
import type { Program } from './programs.ts'

/** The machine and the versions of a run in one sentence, without names of hosts or folders. */
export function describeMachine(programs: ReadonlyMap<Program, string>): string {
  const cores = cpus()
  const versions = [
    `Node ${process.versions.node}`,
    ...[...programs].map(([name, version]) => `${name} ${version}`),
  ]
  return [
    `${cores.length} cores of ${cores[0]?.model.trim() ?? 'an unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${process.platform} ${release().split('-')[0]} ${process.arch}`,
    versions.join(', '),
  ].join('; ')
}
