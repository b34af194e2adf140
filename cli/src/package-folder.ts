import { fileURLToPath } from 'node:url'

/** The folder of this package. The built files of the command lie at other depths than its source. */
export const packageFolder = (): string =>
  fileURLToPath(new URL('..', import.meta.resolve('#main')))
