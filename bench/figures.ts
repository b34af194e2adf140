import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryFolder } from './machine.ts'

/** The median: the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The maximum distance of the middle half of the values from their median, as a fraction of it. */
export function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const quarter = (sorted.length - 1) / 4
  const lower = sorted[Math.floor(quarter)] ?? Number.NaN
  const upper = sorted[Math.ceil(3 * quarter)] ?? Number.NaN
  const middle = median(values)
  return Math.max(middle - lower, upper - middle) / middle
}

/** A Markdown table whose first column is aligned to the left, and the others to the right. */
export function markdownTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...body.map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths
      .map((width, column) => {
        const cell = cells[column] ?? ''
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join(' | ')} |`
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [line(head), line(rule), ...body.map(line)].join('\n')
}

/** Replaces a section of a page in docs/evidence, or appends it. */
export function keepOnPage(page: string, part: string, text: string): void {
  const file = join(repositoryFolder, 'docs/evidence', page)
  const [begin, end] = [`<!-- npm run bench: ${part} -->`, `<!-- end: ${part} -->`]
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin)
  const after = rest.split(end)[1] ?? '\n'
  const separator = before.endsWith('\n\n') ? '' : '\n'
  writeFileSync(file, `${before}${separator}${begin}\n\n${text}\n\n${end}${after}`)
  console.error(`written: docs/evidence/${page}, ${part}`)
}
