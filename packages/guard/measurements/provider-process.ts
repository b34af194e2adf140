import { endlessFaults, faults, startFaultServer } from '../test/faults/fault-server.ts'

/**
 * A provider in a separate process, so that its cost is not counted as the guard's. Its parent sets
 * the published keys and the faults, and requests the number of requests.
 */
type Order =
  | { readonly publish: string }
  | { readonly fail: string; readonly good: string }
  | { readonly count: true }

const server = await startFaultServer('{}')
process.on('message', (order: Order) => {
  if ('publish' in order) server.publish(order.publish)
  if ('fail' in order) {
    const fault = faults[order.fail] ?? endlessFaults[order.fail]
    if (fault !== undefined) server.answerWith(fault.begin(order.good))
  }
  process.send?.({ requests: server.requests() })
})
process.send?.({ url: server.url })
