import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** The part of `wrk.lua` for machines without wrk: same arguments, same line of JSON. */
const [url = '', connections = '1', tokens = '-', count = '0', form = '-'] = process.argv.slice(2)

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

const options: autocannon.Options = {
  url,
  connections: Number(connections),
  duration: 3600,
  // How often it looks whether it is to end, in milliseconds.
  sampleInt: 20,
  // Longer than it has to wait for its next turn.
  timeout: 10,
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

const startedMs = performance.now()
const load = autocannon(options, (error: Error | null, result) => {
  if (error !== null) throw error
  console.log(
    JSON.stringify({
      requests: result['2xx'] + result.non2xx,
      // Its own figure knows nothing of the time that it was held.
      seconds: (performance.now() - startedMs) / 1000,
      p99Ms: result.latency.p99,
      turns,
      failures: { status: result.non2xx, connection: result.errors, timeout: result.timeouts },
    }),
  )
})
load.once('response', () => process.stderr.write('ready\n'))
process.on('SIGINT', () => load.stop())
