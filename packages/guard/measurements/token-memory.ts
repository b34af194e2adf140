import { createGuard } from '../src/index.ts'
import { VirtualRuntime } from '../test/fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, TokenFactory } from '../test/token-factory.ts'
import { collectGarbage } from './garbage.ts'

/** The memory after a number of distinct valid tokens. */
export type TokenMemory = {
  readonly tokens: number
  readonly tokenBytes: number
  readonly remembered: number
  /** Growth of the heap since before the first token. */
  readonly heapBytes: number
  readonly residentBytes: number
}

/** Sends distinct valid tokens of realistic size through one guard, and measures the memory. */
export function measureTokenMemory(most: number): Promise<TokenMemory[]> {
  return measure(most, [1000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000])
}

async function measure(most: number, looks: readonly number[]): Promise<TokenMemory[]> {
  const forge = new TokenFactory('key-1')
  const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
  await guard.start()
  const send = (index: number) => {
    const token = forge.token({
      uti: `${index}`.padStart(22, 'u'),
      aio: `${index}`.padStart(120, 'x'),
    })
    // As in a server: a separate text, not a part of another one.
    const authorization = Buffer.from(`Bearer ${token}`).toString('latin1')
    const decision = guard.decide({ authorization, target: '/api/v1/hi' }, 'CallHiApiRole')
    if (decision instanceof Promise || decision.outcome === 'refused') throw new Error('refused')
    return token.length
  }
  const tokenBytes = send(-1)
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  const seen: TokenMemory[] = []
  for (let sent = 1; sent <= most; sent += 1) {
    send(sent)
    if (!looks.includes(sent)) continue
    collectGarbage()
    const now = process.memoryUsage()
    seen.push({
      tokens: sent,
      tokenBytes,
      remembered: guard.cachedTokens(),
      heapBytes: now.heapUsed - heapUsed,
      residentBytes: now.rss - rss,
    })
  }
  return seen
}
