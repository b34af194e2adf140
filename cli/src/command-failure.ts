import type { ExitName } from './exit-codes.ts'

/** A failure of the command, with one sentence for the person at the terminal. */
export class CommandFailure extends Error {
  readonly exit: ExitName
  /** The action that fixes it. */
  readonly remedy: string | undefined

  constructor(exit: ExitName, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CommandFailure'
    this.exit = exit
    this.remedy = options.remedy
  }
}
