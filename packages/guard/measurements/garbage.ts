import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage now, so that what is measured next is what is kept. */
export const collectGarbage: () => void = runInNewContext('gc')
