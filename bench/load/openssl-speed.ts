import { spawn } from 'node:child_process'

/**
 * `openssl speed` as a load without requests: signs for some seconds and prints the report of the other loads.
 * The seconds of the report are those of a clock, or of the processor.
 */
const [seconds = '1', time = 'clock'] = process.argv.slice(2)

/** A line such as `+R1:7612:2048:2.00`: the number of signatures and their seconds. */
const signatures = /^\+R1:(\d+):2048:([\d.]+)$/m

const elapsed = time === 'clock' ? ['-elapsed'] : []
const openssl = spawn('openssl', ['speed', '-mr', ...elapsed, '-seconds', seconds, 'rsa2048'])
openssl.stderr.setEncoding('utf8').on('data', (text: string) => {
  const [, count, elapsedSeconds] = signatures.exec(text) ?? []
  if (count === undefined) return
  const report = { requests: Number(count), seconds: Number(elapsedSeconds), p99Ms: null }
  console.log(JSON.stringify({ ...report, repeats: 0, failures: {} }))
  // Otherwise openssl would continue with verifications.
  openssl.kill()
})
openssl.once('error', ({ message }) => console.error(message))
