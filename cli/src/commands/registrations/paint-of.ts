import type { PaintLine } from '../../registrations/planning/plan-text.ts'
import type { Colour, Terminal } from '../../terminal.ts'

const colours = { '+': 'green', '-': 'red', '~': 'yellow' } as const satisfies Record<
  string,
  Colour
>

/** Colours for the lines of a diff, where colours are wanted. */
export const paintOf =
  ({ paint }: Terminal): PaintLine =>
  (sign, text) =>
    paint(colours[sign], text)
