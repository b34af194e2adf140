import type { PaintLine } from '@greeting/registrations/planning'
import type { Colour, Terminal } from '../../terminal.ts'

const colours = { '+': 'green', '-': 'red', '~': 'yellow' } as const satisfies Record<
  string,
  Colour
>

/** Colours lines of a diff if colours are enabled. */
export const paintOf =
  ({ paint }: Terminal): PaintLine =>
  (sign, text) =>
    paint(colours[sign], text)
