import { Worker } from 'node:worker_threads'

// Plain JavaScript in one text: a file would need another path after a build.
const thread = `
const { parentPort, workerData } = require('node:worker_threads')
let timer
const wait = (delayMs) => {
  clearTimeout(timer)
  timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), delayMs)
}
wait(workerData)
parentPort.on('message', wait)
`

/**
 * Kills this process when it has not ended in time. Another thread counts, because a process that
 * cannot end may have a blocked main thread, which handles no timer and no signal.
 *
 * @returns a function that begins another time
 */
export function startExitDeadline(delayMs: number): (delayMs: number) => void {
  const worker = new Worker(thread, { eval: true, workerData: delayMs })
  worker.unref()
  // Without resources for a thread, the process stops without a deadline.
  worker.on('error', () => {})
  return (nextDelayMs) => worker.postMessage(nextDelayMs)
}
