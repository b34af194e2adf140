import type { ExitName } from './exit-codes.ts'

/** Ends the command with a code when all there is to say has been said. */
export class SilentExit extends Error {
  readonly exit: ExitName

  constructor(exit: ExitName) {
    super(`the command ends as ${exit}`)
    this.name = 'QuietExit'
    this.exit = exit
  }
}
