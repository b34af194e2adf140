import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** The part of `wrk.lua` for machines without wrk: same arguments, same line of JSON. */
const [
  url = '',
  seconds = '1',
  requests = '0',
  connections = '1',
  tokens = '-',
  count = '0',
  form = '-',
] = process.argv.slice(2)

const lines = tokens === '-' ? [] : readFileSync(tokens, 'utf8').split('\n').slice(0, Number(count))
let cursor = 0
let turns = 0

function nextToken(): string {
  if (cursor === lines.length) {
    cursor = 0
    turns++
  }
  return lines[cursor++] ?? ''
}

const result = await autocannon({
  url,
  connections: Number(connections),
  ...(requests === '0'
    ? { duration: Number(seconds) }
    : { amount: Number(requests), sampleInt: 20 }),
  timeout: 5,
  requests: [
    form === '-'
      ? {
          setupRequest: (request) => ({
            ...request,
            headers: { ...request.headers, authorization: `Bearer ${nextToken()}` },
          }),
        }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: readFileSync(form, 'utf8'),
        },
  ],
})

const answered = result['2xx'] + result.non2xx
console.log(
  JSON.stringify({
    requests: answered,
    seconds: result.duration,
    p99Ms: result.latency.p99,
    turns,
    failures: { status: result.non2xx, connection: result.errors, timeout: result.timeouts },
  }),
)
