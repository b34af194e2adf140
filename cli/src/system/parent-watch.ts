/** The functions that a parent watch needs. */
type ParentWatchRuntime = {
  /** Process ID of the parent. The system reports another one after the parent has ended. */
  readonly parentId: () => number
  /** Repeats a call without keeping the process alive; returns a function that stops it. */
  readonly repeat: (call: () => void, intervalMs: number) => () => void
}

const intervalMs = 250

/**
 * Calls once when the parent process has ended. A shell between npm and this command does not
 * forward signals: it ends, and this command would remain with its ports.
 */
export function watchParent({ parentId, repeat }: ParentWatchRuntime, onGone: () => void): void {
  const first = parentId()
  const end = repeat(() => {
    if (parentId() === first) return
    end()
    onGone()
  }, intervalMs)
}
