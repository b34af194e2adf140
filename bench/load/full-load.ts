import { parentPort, workerData } from 'node:worker_threads'
import autocannon from 'autocannon'
import type { FullLoad } from '../load.ts'

const timeoutSeconds = 30
/** A load ends only at a sample, so its duration is exact to this time. */
const sampleMs = 10
const { url, tokens, forms, requests, connections } = workerData as FullLoad
let turn = 0

const result = await autocannon({
  url,
  connections,
  amount: requests,
  timeout: timeoutSeconds,
  sampleInt: sampleMs,
  requests: [
    {
      setupRequest: (request) => {
        const index = turn
        turn += 1
        if (tokens !== undefined) {
          const authorization = `Bearer ${tokens[index % tokens.length]}`
          return { ...request, headers: { ...request.headers, authorization } }
        }
        if (forms === undefined) return request
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        return { ...request, method: 'POST', headers, body: forms[index % forms.length] ?? '' }
      },
    },
  ],
})
const { non2xx, errors, timeouts } = result
const isFaultless = non2xx + errors + timeouts === 0 && result['2xx'] === requests
parentPort?.postMessage({
  seconds: result.duration,
  failures: isFaultless
    ? ''
    : `of ${requests} requests ${non2xx} were refused, ${errors} failed, ${timeouts} timed out`,
})
