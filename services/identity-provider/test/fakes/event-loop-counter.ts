/** Counts the turns of the event loop from now on, until `stop`. */
export function countTurns() {
  const counter = { turns: 0, stop: () => clearImmediate(next) }
  const count = () => {
    counter.turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  return counter
}
