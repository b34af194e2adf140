import { clientSecrets } from '../../src/credentials/credential.ts'
import { isClientFailure } from '../../src/errors.ts'
import { createGreetingClient } from '../../src/greeting-client.ts'
import { settled, tokenSourceIn } from '../fakes/token-source-in.ts'
import { type Answer, grant, refusal, text, VirtualRuntime } from '../fakes/virtual-runtime.ts'
import type { FaultRow } from './fault-rows.ts'

const runs = 30
const pauseMs = 60_000
const tokenLifetimeSeconds = 600
// The fault lasts from the tenth minute to the twentieth.
const firstBad = 10
const lastBad = 19

/** The results of a job that runs every minute for half an hour, with a fault of ten minutes. */
export type JobUnderFault = {
  readonly fault: string
  readonly saw: string
  readonly tokenRequests: number
  readonly apiRequests: number
  readonly recovered: string
}

function summary(results: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1)
  return [...counts].map(([result, count]) => `${count} × ${result}`).join(', ')
}

function recovery(results: readonly string[]): string {
  if (results.every((result) => result === 'ok')) return 'was never down'
  const after = results.slice(lastBad + 1).indexOf('ok')
  return after === 0 ? 'with the first run after it' : `${after} min after it`
}

/** Simulates one fault, from the first run to the last. */
export async function jobUnderFault(row: FaultRow): Promise<JobUnderFault> {
  const counts = { identityProvider: 0, api: 0 }
  const bad = { identityProvider: 0, api: 0 }
  let run = 0
  let rightSecret = 'current'
  const usual: Record<keyof typeof counts, Answer> = {
    identityProvider: (request, signal) =>
      request.form.get('client_secret') === rightSecret
        ? grant('token', tokenLifetimeSeconds)(request, signal)
        : refusal('invalid_client')(request, signal),
    api: text(200, 'Hi'),
  }
  const environment: VirtualRuntime = new VirtualRuntime((request, signal) => {
    const party = request.url.includes('login') ? 'identityProvider' : 'api'
    counts[party] += 1
    const isBad = run >= firstBad && run <= lastBad
    const faulty = isBad ? row[party]?.(environment, bad[party]++) : undefined
    return (faulty ?? usual[party])(request, signal)
  })
  const tokens = tokenSourceIn(environment, { credential: clientSecrets('current', 'next') })
  const greetings = createGreetingClient({
    baseUrl: 'https://api.example',
    tokens,
    runtime: environment.runtime,
  })
  const results: string[] = []
  for (; run < runs; run += 1) {
    if (run === firstBad) {
      environment.wallClockErrorMs = row.clockMovedMs ?? 0
      rightSecret = row.secretFromThen ?? rightSecret
    }
    const startMs = environment.passedMs
    results.push(await greetings.hi().then(() => 'ok', codeOf))
    await settled()
    environment.pass(Math.max(pauseMs - (environment.passedMs - startMs), 0))
  }
  return {
    fault: row.fault,
    saw: summary(results),
    tokenRequests: counts.identityProvider,
    apiRequests: counts.api,
    recovered: recovery(results),
  }
}

const codeOf = (error: unknown) => (isClientFailure(error) ? error.code : `unexpected: ${error}`)
