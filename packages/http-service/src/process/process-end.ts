import { Worker } from 'node:worker_threads'

/** The part of `process` that knows the parent process. */
export type ChildProcess = Pick<NodeJS.Process, 'once' | 'connected' | 'send'>

/**
 * Calls once when the parent process has ended.
 *
 * A parent that starts a service over an IPC channel wants the service to end with it. The system
 * closes the channel in every case, even when the parent is killed. Without a channel nothing is
 * watched. The command `greeting start` polls its own parent, because npm opens no channel.
 */
export function watchParent(child: ChildProcess, onEnd: () => void): void {
  // Bun sets `connected` to false without a channel too. Only `send` shows that there was one.
  if (child.send === undefined) return
  child.once('disconnect', onEnd)
  // The channel may have closed before this call.
  if (child.connected === false) onEnd()
}

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
