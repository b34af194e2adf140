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
