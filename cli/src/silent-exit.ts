import type { ExitName } from './exit-codes.ts'

/** Ends the command with an exit code and without another message. */
export class SilentExit extends Error {
  readonly exit: ExitName

  constructor(exit: ExitName) {
    super(`the command ends with ${exit}`)
    this.name = 'QuietExit'
    this.exit = exit
  }
}
