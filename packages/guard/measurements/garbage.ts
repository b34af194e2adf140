import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage, so that a measurement contains only reachable memory. */
export const collectGarbage: () => void = runInNewContext('gc')
