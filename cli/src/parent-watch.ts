/** What a watch needs of the world. */
export type ParentWatchRuntime = {
  /** Id of the process that started this one; the system names another when that one is gone. */
  readonly parentId: () => number
  /** Calls again and again, without keeping the process alive; returns what ends it. */
  readonly repeat: (call: () => void, intervalMs: number) => () => void
}

const intervalMs = 250

/**
 * Calls once when the parent process is gone. A shell between npm and this command does not pass
 * signals on: it ends, and this command would stay behind with its ports.
 */
export function watchParent({ parentId, repeat }: ParentWatchRuntime, onGone: () => void): void {
  const first = parentId()
  const end = repeat(() => {
    if (parentId() === first) return
    end()
    onGone()
  }, intervalMs)
}
