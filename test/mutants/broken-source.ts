import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

// Each process of a test run loads this file first. It gives the broken text for one source file.

const { MUTANT_FILE = '', MUTANT_SOURCE = '' } = process.env
const brokenUrl = pathToFileURL(MUTANT_FILE).href

registerHooks({
  load: (url, context, next) =>
    url === brokenUrl
      ? { format: 'module-typescript', source: readFileSync(MUTANT_SOURCE), shortCircuit: true }
      : next(url, context),
})
