import type { Contender } from './contender.ts'
import { HeldProcess } from './held-process.ts'

/** A line such as +R1:7612:2048:2.00 tells how many signatures took how many seconds of its processor. */
const signed = /^\+R1:(\d+):2048:([\d.]+)$/m

/** What `openssl speed -mr rsa2048` found: signatures in a second. */
export function signaturesPerSecond(printed: string): number {
  const [, count, seconds] = signed.exec(printed) ?? []
  const found = Number(count) / Number(seconds)
  if (!(found > 0)) throw new Error(`openssl speed said nothing about 2048 bits: ${printed}`)
  return found
}

/** The limit of a token endpoint: what openssl signs on the server's core and does nothing else. */
export const opensslSpeed: Contender = {
  id: 'openssl-rsa2048-sign',
  title: '`openssl speed rsa2048`, signatures alone',
  group: 'token endpoint',
  heat: 'Greeting, token endpoint',
  needs: ['openssl'],
  comparedWith: [],
  tokens: 'none',
  start: async (lab) => ({
    prove: () => Promise.resolve([]),
    load: async () => {
      const signing = await HeldProcess.start(
        ['openssl', 'speed', '-mr', '-seconds', '3600', 'rsa2048'],
        lab.cores(1).server,
        /^\+DTP:2048:private/m,
      )
      return {
        go: () => signing.go(),
        hold: () => signing.hold(),
        end: async () => {
          // With this signal its own clock tells it that the time is over.
          const printed = await signing.finish('SIGALRM', signed)
          const requestsPerSecond = signaturesPerSecond(printed)
          return { requestsPerSecond, p99Ms: null, busy: null, microseconds: null, faults: [] }
        },
      }
    },
    stop: () => Promise.resolve(),
  }),
}
