import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { LatencyRecorder } from '../latency.ts'
import { idsOf, secretOf } from '../seed-ids.ts'
import type { PacedLoad } from './paced-load.ts'

// A latency counts from the time at which the request was due, so that a slow answer does not hide
// the requests behind it. The requests before that warm up both programs.

const { url, seed, clients, perSecond, seconds, warmUpSeconds = 1 } = workerData as PacedLoad
const { tenantId, apiAppId, clientIdOf } = idsOf(seed)
const endpoint = new URL(`/${tenantId}/oauth2/v2.0/token`, url)
const agent = new Agent({ keepAlive: true })
const recorder = new LatencyRecorder()
const timeoutMs = 30_000
const warmUpRequests = Math.round(perSecond * warmUpSeconds)
/** Prime, so that the turns reach all clients of any number. */
const stride = 7919

function bodyOf(turn: number): string {
  const client = (turn * stride) % clients
  return new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: `api://${apiAppId}/.default` },
    ...{ client_id: clientIdOf(client), client_secret: secretOf(seed, client) },
  }).toString()
}

function send(body: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  }
  const sent = request(
    endpoint,
    { method: 'POST', agent, headers, timeout: timeoutMs },
    (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', reject)
    },
  )
  sent.once('error', reject)
  sent.once('timeout', () => sent.destroy(new Error('no answer in time')))
  sent.end(body)
  return promise
}

const total = warmUpRequests + Math.round(perSecond * seconds)
const waiting = new Set<Promise<void>>()
const startMs = performance.now()
for (let turn = 0; turn < total; turn += 1) {
  const dueMs = startMs + (turn * 1000) / perSecond
  const body = bodyOf(turn)
  const earlyMs = dueMs - performance.now()
  if (earlyMs > 0) await sleep(earlyMs)
  const answer = send(body)
    .then((status) => {
      if (turn < warmUpRequests) return
      if (status === 200) recorder.record(performance.now() - dueMs)
      else recorder.fail()
    })
    .catch(() => recorder.fail())
    .finally(() => waiting.delete(answer))
  waiting.add(answer)
}
await Promise.all(waiting)
agent.destroy()
parentPort?.postMessage(recorder.read())
