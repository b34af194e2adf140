/**
 * Waits for a promise that several callers share. An aborted signal ends this wait only, with the
 * signal's reason. The work continues for the other callers.
 */
export function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) onAbort()
  })
}
