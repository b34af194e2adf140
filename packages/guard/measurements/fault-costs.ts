import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Decision } from '../src/index.ts'
import { endlessFaults, faults } from '../test/faults/fault-server.ts'
import { guardAt } from '../test/faults/guard-at.ts'
import { keySetOf, TokenFactory } from '../test/token-factory.ts'
import { collectGarbage } from './garbage.ts'

/** The cost of a failing provider. */
export type FaultCost = {
  readonly fault: string
  readonly knownKey: string
  readonly unknownKey: string
  readonly fetches: number
  /** Maximum growth of the process during the attempt. */
  readonly memoryBytes: number
}

const known = new TokenFactory('known')
const rotated = new TokenFactory('rotated')
const good = keySetOf(known)
const secondsUntilGivingUp = 5

/** Lets the provider fail in each way once, after a successful start, and measures. */
export async function measureFaultCosts(): Promise<FaultCost[]> {
  const provider = fork(join(import.meta.dirname, 'provider-process.ts'))
  const [{ url }] = await once(provider, 'message')
  const costs: FaultCost[] = []
  // The first attempt of a process loads and compiles code that all others use.
  await measure(provider, url, 'answers 50 MB', 0)
  for (const fault of Object.keys(faults)) costs.push(await measure(provider, url, fault, 0))
  for (const fault of Object.keys(endlessFaults)) {
    costs.push(await measure(provider, url, fault, secondsUntilGivingUp))
  }
  provider.kill()
  return costs
}

async function measure(
  provider: ChildProcess,
  url: string,
  fault: string,
  givesUpAfterSeconds: number,
): Promise<FaultCost> {
  await order(provider, { publish: good })
  const { guard, ask, passUntilAttempt } = guardAt(url)
  await guard.start()
  const before = await order(provider, { fail: fault, good })
  collectGarbage()
  const startBytes = process.memoryUsage().rss
  let mostBytes = startBytes
  const watch = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage().rss)
  }, 1)
  await passUntilAttempt(3600, givesUpAfterSeconds)
  clearInterval(watch)
  mostBytes = Math.max(mostBytes, process.memoryUsage().rss)
  const knownKey = statusOf(await ask(known))
  const unknownKey = statusOf(await ask(rotated))
  const after = await order(provider, { count: true })
  guard.stop()
  return {
    fault,
    knownKey,
    unknownKey,
    fetches: after - before,
    memoryBytes: mostBytes - startBytes,
  }
}

async function order(provider: ChildProcess, what: object): Promise<number> {
  provider.send(what)
  const [{ requests }] = await once(provider, 'message')
  return requests
}

const statusOf = (decision: Decision): string =>
  decision.outcome === 'admitted' ? '200' : `${decision.status}`
