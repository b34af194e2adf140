import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Contender } from './contender.ts'
import { pinned } from './cores.ts'

/** What `openssl speed -mr rsa2048` found: signatures in a second. */
export function signaturesPerSecond(printed: string): number {
  // A line such as +F2:2:2048:4105.0:61137.0 gives signatures and verifications in a second.
  const found = Number(/^\+F2:\d+:2048:([\d.]+):/m.exec(printed)?.[1])
  if (!(found > 0)) throw new Error(`openssl speed said nothing about 2048 bits: ${printed}`)
  return found
}

/** The limit of a token endpoint: what openssl signs on the server's core and does nothing else. */
export const opensslSpeed: Contender = {
  id: 'openssl-rsa2048-sign',
  title: '`openssl speed rsa2048`, signatures alone',
  group: 'token endpoint',
  needs: ['openssl'],
  comparedWith: [],
  tokens: 'none',
  start: async (lab) => ({
    prove: () => Promise.resolve([]),
    load: async (_, { seconds }) => {
      const [program = '', ...rest] = pinned(lab.cores(1).server, [
        'openssl',
        'speed',
        '-mr',
        // By the clock, as everybody else is measured, not by its own processor time.
        '-elapsed',
        '-seconds',
        String(seconds),
        'rsa2048',
      ])
      const { stdout } = await promisify(execFile)(program, rest)
      const requestsPerSecond = signaturesPerSecond(stdout)
      return { requestsPerSecond, p99Ms: null, busy: null, microseconds: null, faults: [] }
    },
    stop: () => Promise.resolve(),
  }),
}
