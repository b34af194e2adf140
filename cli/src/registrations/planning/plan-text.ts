import { type Adoption, adoptionLine } from './adoption.ts'
import type { Change } from './change.ts'
import { changeLines, type Line } from './change-lines.ts'
import { oneLine } from './one-line.ts'
import type { Plan } from './plan.ts'
import { registrationSteps } from './registration-step.ts'

/** Colours a line of a diff by what becomes of what it names. */
export type PaintLine = (sign: Line['sign'], text: string) => string

/** A plan as people read it: the six acts with what each changes, then what it means for clients. */
export function planText(
  { steps, adoptions, faults, ifLeft, ifApplied }: Omit<Plan, 'located'>,
  paint: PaintLine = (_, text) => text,
): string {
  if (faults.length > 0) return paragraphs([list('This cannot be planned:', faults)])
  const found = foundByName(adoptions, paint)
  if (steps.length === 0)
    return paragraphs([
      found,
      'No changes: the directory is as the file says.',
      list('As the file says:', [...new Set([...ifLeft, ...ifApplied])]),
    ])
  return paragraphs([
    found,
    ...registrationSteps.map((act, index) => {
      const lines = steps.filter((step) => step.act === act).flatMap((step) => diffOf(step, paint))
      return lines.length === 0 ? '' : [`${index + 1} ${act}`, ...lines].join('\n')
    }),
    summary(steps, adoptions),
    list('If it is left as it is:', ifLeft),
    list('When it is applied:', ifApplied),
  ])
}

const foundByName = (adoptions: readonly Adoption[], paint: PaintLine) =>
  adoptions.length === 0
    ? ''
    : ['Found by name', ...adoptions.map((one) => paint('~', adoptionLine(one)))].join('\n')

function summary(steps: readonly Change[], adoptions: readonly Adoption[]): string {
  const changes = steps.flatMap(changeLines).length
  const taken = steps.filter(({ destructive }) => destructive).flatMap(changeLines).length
  const counted = `${changes} ${changes === 1 ? 'change' : 'changes'}`
  const takes =
    taken === 0
      ? 'nothing that works is taken away.'
      : 'those marked ! take away or replace something, and are asked for first.'
  if (adoptions.length === 0) return `${counted}; ${takes}`
  return `${counted}; ${takes} Applications found by name are asked for first; --yes does not cover them.`
}

/** The lines of one step, marked when it takes something away. */
export const diffOf = (step: Change, paint: PaintLine = (_, text) => text): string[] =>
  changeLines(step).map(({ sign, text }) =>
    paint(sign, `${step.destructive ? '!' : ' '} ${sign} ${text}`),
  )

const list = (title: string, sentences: readonly string[]) =>
  sentences.length === 0
    ? ''
    : [title, ...sentences.map((sentence) => `  ${oneLine(sentence)}`)].join('\n')

const paragraphs = (texts: readonly string[]) =>
  `${texts.filter((text) => text !== '').join('\n\n')}\n`
