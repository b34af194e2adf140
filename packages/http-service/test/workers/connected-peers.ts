import { EventEmitter } from 'node:events'
import type { Peer } from '../../src/workers/channel.ts'

/** Two fake ends of an IPC channel. Messages are cloned and arrive later. */
export function connectedPeers(): readonly [Peer & EventEmitter, Peer & EventEmitter] {
  const [one, other] = [new EventEmitter(), new EventEmitter()]
  const sendTo = (end: EventEmitter) => (message: object) =>
    setImmediate(() => end.emit('message', structuredClone(message)))
  return [Object.assign(one, { send: sendTo(other) }), Object.assign(other, { send: sendTo(one) })]
}
