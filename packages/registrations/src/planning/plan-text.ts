import { onOneLine } from '../directory/text.ts'
import { registrationSteps } from '../explaining/explanation.ts'
import { type Adoption, adoptionLine } from './adoption.ts'
import { changeLines, type DiffLine } from './change-lines.ts'
import type { Plan } from './plan.ts'
import type { Change } from './steps/change.ts'

/** Colours a line of a diff by its sign. */
export type PaintLine = (sign: DiffLine['sign'], text: string) => string

/** A plan for people: the changes of each of the six steps, then the effects on clients. */
export function planText(
  { changes, adoptions, faults, ifLeft, ifApplied }: Omit<Plan, 'located'>,
  paint: PaintLine = (_, text) => text,
): string {
  if (faults.length > 0) return paragraphs([list('Cannot make a plan:', faults)])
  const found = foundByName(adoptions, paint)
  if (changes.length === 0)
    return paragraphs([
      found,
      'No changes: the directory matches the file.',
      list('With this file:', [...new Set([...ifLeft, ...ifApplied])]),
    ])
  return paragraphs([
    found,
    ...registrationSteps.map((step, index) => {
      const lines = changes
        .filter((change) => change.step === step)
        .flatMap((change) => diffOf(change, paint))
      return lines.length === 0 ? '' : [`${index + 1} ${step}`, ...lines].join('\n')
    }),
    summary(changes, adoptions),
    list('Without these changes:', ifLeft),
    list('With these changes:', ifApplied),
  ])
}

const foundByName = (adoptions: readonly Adoption[], paint: PaintLine) =>
  adoptions.length === 0
    ? ''
    : ['Found by name', ...adoptions.map((one) => paint('~', adoptionLine(one)))].join('\n')

function summary(changes: readonly Change[], adoptions: readonly Adoption[]): string {
  const count = changes.flatMap(changeLines).length
  const taken = changes.filter(({ destructive }) => destructive).flatMap(changeLines).length
  const counted = `${count} ${count === 1 ? 'change' : 'changes'}`
  const takes =
    taken === 0
      ? 'nothing is removed or replaced.'
      : 'those marked ! remove or replace something and need confirmation.'
  if (adoptions.length === 0) return `${counted}; ${takes}`
  return `${counted}; ${takes} Applications found by name need confirmation; --yes does not cover them.`
}

/** The diff lines of one change, marked if the change removes something. */
export const diffOf = (change: Change, paint: PaintLine = (_, text) => text): string[] =>
  changeLines(change).map(({ sign, text }) =>
    paint(sign, `${change.destructive ? '!' : ' '} ${sign} ${text}`),
  )

const list = (title: string, sentences: readonly string[]) =>
  sentences.length === 0
    ? ''
    : [title, ...sentences.map((sentence) => `  ${onOneLine(sentence)}`)].join('\n')

const paragraphs = (texts: readonly string[]) =>
  `${texts.filter((text) => text !== '').join('\n\n')}\n`
