import type { Screen, Terminal } from './terminal.ts'
import { visibleLines, visibleText } from './text/visible-text.ts'

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
