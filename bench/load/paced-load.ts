import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Latency, PacedLoad } from '../load.ts'

// A latency counts from the time at which the request was due, so that a slow answer does not hide
// the requests behind it. The requests before that warm up both programs.

const { url, forms = [], perSecond, seconds, warmUpSeconds } = workerData as PacedLoad
const agent = new Agent({ keepAlive: true })
const timeoutMs = 30_000
const headers = { 'content-type': 'application/x-www-form-urlencoded' }

function send(body: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const options = { method: 'POST', agent, timeout: timeoutMs }
  const length = { 'content-length': Buffer.byteLength(body) }
  const sent = request(url, { ...options, headers: { ...headers, ...length } }, (answer) => {
    answer.resume()
    answer.once('end', () => resolve(answer.statusCode ?? 0))
    answer.once('error', reject)
  })
  sent.once('error', reject)
  sent.once('timeout', () => sent.destroy(new Error('no answer in time')))
  sent.end(body)
  return promise
}

const warmUpRequests = Math.round(perSecond * warmUpSeconds)
const total = warmUpRequests + Math.round(perSecond * seconds)
const waiting = new Set<Promise<void>>()
const latenciesMs: number[] = []
let failures = 0
const startMs = performance.now()
for (let turn = 0; turn < total; turn += 1) {
  const dueMs = startMs + (turn * 1000) / perSecond
  const earlyMs = dueMs - performance.now()
  if (earlyMs > 0) await sleep(earlyMs)
  const answer = send(forms[turn % forms.length] ?? '')
    .catch(() => 0)
    .then((status) => {
      if (status !== 200) failures += 1
      if (turn >= warmUpRequests) latenciesMs.push(performance.now() - dueMs)
      waiting.delete(answer)
    })
  waiting.add(answer)
}
await Promise.all(waiting)
agent.destroy()
const sorted = latenciesMs.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
parentPort?.postMessage({ p50Ms: at(0.5), p99Ms: at(0.99), failures } satisfies Latency)
