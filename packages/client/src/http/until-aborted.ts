/** The waits for one signal. They share one listener, because Node searches the list of listeners. */
type Waits = { readonly rejections: Set<() => void>; readonly onAbort: () => void }

const waitsBySignal = new WeakMap<AbortSignal, Waits>()

/**
 * Waits for a promise that several callers share. An aborted signal ends this wait only, with the
 * signal's reason. The work continues for the other callers.
 */
export function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    const leave = join(signal, onAbort)
    work.then(
      (value) => {
        leave()
        resolve(value)
      },
      (error) => {
        leave()
        reject(error)
      },
    )
  })
}

/** Adds a wait, and returns the function that removes it. The last one removes the listener. */
function join(signal: AbortSignal, onAbort: () => void): () => void {
  const waits = waitsBySignal.get(signal) ?? listen(signal)
  waits.rejections.add(onAbort)
  return () => {
    waits.rejections.delete(onAbort)
    if (waits.rejections.size > 0) return
    signal.removeEventListener('abort', waits.onAbort)
    if (waitsBySignal.get(signal) === waits) waitsBySignal.delete(signal)
  }
}

function listen(signal: AbortSignal): Waits {
  const rejections = new Set<() => void>()
  const onAbort = () => {
    for (const reject of rejections) reject()
  }
  const waits = { rejections, onAbort }
  waitsBySignal.set(signal, waits)
  signal.addEventListener('abort', onAbort, { once: true })
  return waits
}
