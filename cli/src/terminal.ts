import { isClientFailure } from '@greeting/client'
import { CommanderError } from 'commander'
import { CommandFailure, type ExitName, exitByFailure, SilentExit } from './exit-codes.ts'
import type { Settings } from './files/env-file.ts'
import { visibleLines, visibleText } from './text/visible-text.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'gray'

/** Colours a text if colours are enabled. */
export type Paint = (colour: Colour, text: string) => string

/** The terminal of the process. */
export type Screen = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Replaces the last line of the error stream; absent when that is no terminal. */
  readonly redraw?: (line: string) => void
  readonly paint: Paint
  /** Whether the error stream is a terminal, so that progress lines are useful. */
  readonly isInteractive: boolean
  readonly isOutTerminal: boolean
  /** The width of the standard output; absent when that is no terminal. */
  readonly columns?: number | undefined
  readonly environment: Settings
  /** Aborted when the user requests a stop. */
  readonly stop: AbortSignal
  /** Calls a function at SIGHUP, which then does not stop the command. */
  readonly onReload?: (callback: () => void) => void
  /** Asks the person and resolves with the answer; absent without an interactive terminal. */
  readonly ask?: (question: string) => Promise<string>
}

/** The terminal as commands use it: results go to `out`, everything else to `err`. */
export type Terminal = Screen & {
  /** Prints the body of a response: unchanged for a program, escaped for a person. */
  readonly body: (text: string) => void
}

/** A failure with its exit code, its text and its JSON. */
type ReportedFailure = {
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

/**
 * Prints a failure on `err`, as text or as one line of JSON, and returns the exit code.
 *
 * @param reworded changes the text of a remedy
 */
export function printFailure(
  terminal: Terminal,
  error: unknown,
  asJson: boolean,
  reworded: (text: string) => string,
): ExitName {
  if (error instanceof SilentExit) return error.exit
  // The command line parser has printed its own errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'bad_usage'
  const { exit, message, remedy: usual, json } = describeFailure(error)
  const remedy = usual && reworded(usual)
  if (asJson) terminal.err(`${JSON.stringify({ error: { ...json, ...(remedy && { remedy }) } })}\n`)
  else terminal.err(`${message}\n${remedy ? `${remedy}\n` : ''}`)
  return exit
}

const escapeCharacter = '\u001b'

/**
 * Wraps the terminal for commands. All output passes here, so that untrusted text of servers, files
 * and arguments cannot control the terminal.
 */
export function visibleTerminal(screen: Screen): Terminal {
  // Only colours of this command pass: other text cannot contain the random marker.
  // It is made for the first colour, because a random number costs a start more than this file.
  let ownEscape: string | undefined
  const visible = (text: string) =>
    ownEscape === undefined
      ? visibleLines(text)
      : text.split(ownEscape).map(visibleLines).join(escapeCharacter)
  const { ask, redraw } = screen
  let isRedrawn = false
  const draw = (line: string) => {
    if (line === '' && !isRedrawn) return
    isRedrawn = line !== ''
    redraw?.(visibleText(line))
  }
  // A line that is redrawn would be mixed with the text, which may be on the same screen.
  const print = (write: (text: string) => void) => (text: string) => {
    draw('')
    write(visible(text))
  }
  const out = print(screen.out)
  return {
    ...screen,
    out,
    err: print(screen.err),
    ...(redraw && { redraw: draw }),
    body: screen.isOutTerminal ? out : screen.out,
    paint: (colour, text) => {
      ownEscape ??= `${escapeCharacter}${crypto.randomUUID()}`
      return screen.paint(colour, visibleLines(text)).replaceAll(escapeCharacter, ownEscape)
    },
    ...(ask && {
      ask: (question) => {
        draw('')
        return ask(visible(question))
      },
    }),
  }
}
