import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** Replaces `wrk.lua` on machines without wrk: same arguments, same line of JSON. */
const [url = '', connections, seconds, timeoutSeconds, ...script] = process.argv.slice(2)
const [tokens = '-', first = '0', count = '0', form = '-'] = script

const lines =
  tokens === '-'
    ? []
    : readFileSync(tokens, 'utf8')
        .split('\n')
        .slice(Number(first), Number(first) + Number(count))
let cursor = 0
let repeats = 0

function nextToken(): string {
  if (cursor === lines.length) {
    cursor = 0
    repeats++
  }
  return lines[cursor++] ?? ''
}

const options: autocannon.Options = {
  url,
  connections: Number(connections),
  duration: Number(seconds),
  timeout: Number(timeoutSeconds),
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
}

autocannon(options, (error: Error | null, result) => {
  if (error !== null) throw error
  console.log(
    JSON.stringify({
      requests: result['2xx'] + result.non2xx,
      seconds: result.duration,
      p99Ms: result.latency.p99,
      repeats,
      failures: { status: result.non2xx, connection: result.errors, timeout: result.timeouts },
    }),
  )
})
