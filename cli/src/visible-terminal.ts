import { randomUUID } from 'node:crypto'
import type { Screen, Terminal } from './terminal.ts'
import { visibleLines } from './text/visible-text.ts'

const escapeCharacter = '\u001b'

/**
 * The terminal as commands see it. This is the one exit of all texts: whatever a server, a file or an
 * argument put into them cannot steer the screen.
 */
export function visibleTerminal(screen: Screen): Terminal {
  // Only the colours of this command pass: other texts cannot contain their random mark.
  const ownEscape = `${escapeCharacter}${randomUUID()}`
  const visible = (text: string) => text.split(ownEscape).map(visibleLines).join(escapeCharacter)
  const out = (text: string) => screen.out(visible(text))
  const { ask } = screen
  return {
    ...screen,
    out,
    err: (text) => screen.err(visible(text)),
    body: screen.isOutTerminal ? out : screen.out,
    paint: (colour, text) =>
      screen.paint(colour, visibleLines(text)).replaceAll(escapeCharacter, ownEscape),
    ...(ask && { ask: (question) => ask(visible(question)) }),
  }
}
