import { isClientFailure } from '@greeting/client'
import { CommanderError } from 'commander'
import { CommandFailure } from './command-failure.ts'
import type { Settings } from './env-file.ts'
import { type ExitName, exitByFailure } from './exit-codes.ts'
import { SilentExit } from './silent-exit.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'gray'

/** Colours a text, where colours are wanted. */
export type Paint = (colour: Colour, text: string) => string

/** The terminal as the system gives it. */
export type Screen = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Replaces the last line of the error stream; absent when that is no terminal. */
  readonly redraw?: (line: string) => void
  readonly paint: Paint
  /** Whether a person watches, who may like to know what comes next. */
  readonly isInteractive: boolean
  /** Whether results are shown on a terminal, and not read by a program. */
  readonly isOutTerminal: boolean
  readonly environment: Settings
  /** Aborted when the person asks to stop. */
  readonly stop: AbortSignal
  /** Asks the person and resolves with the answer; absent when nobody is there to answer. */
  readonly ask?: (question: string) => Promise<string>
}

/** What a command needs from the terminal it runs in: results go to `out`, all else to `err`. */
export type Terminal = Screen & {
  /** Prints the body of an answer: as it is for a program, visibly for a person. */
  readonly body: (text: string) => void
}

/** A failure as it is told: how the command ends, in words, and for a program. */
export type ReportedFailure = {
  readonly exit: ExitName
  readonly message: string
  readonly remedy?: string | undefined
  readonly json: object
}

export function describeFailure(error: unknown): ReportedFailure {
  if (isClientFailure(error)) {
    const { code, message, remedy } = error
    return { exit: exitByFailure[code], message, remedy, json: error.toJSON() }
  }
  if (error instanceof CommandFailure) {
    const { exit, message, remedy } = error
    return { exit, message, remedy, json: { code: exit, message, ...(remedy && { remedy }) } }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { exit: 'failed', message, json: { code: 'failed', message } }
}

/** Tells a failure on `err`, in words or as one line of JSON, and says how the command ends. */
export function printFailure(terminal: Terminal, error: unknown, asJson: boolean): ExitName {
  if (error instanceof SilentExit) return error.exit
  // The parser of the command line has told its own.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'badUsage'
  const { exit, message, remedy, json } = describeFailure(error)
  if (asJson) terminal.err(`${JSON.stringify({ error: json })}\n`)
  else terminal.err(`${message}\n${remedy ? `${remedy}\n` : ''}`)
  return exit
}
