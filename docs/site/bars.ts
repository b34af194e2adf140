import type { SitePage } from './site-pages.ts'

/** Which columns of a table are drawn as bars, and under which heading of which page the table is. */
type Plot = {
  readonly heading: string
  readonly columns: readonly number[]
  readonly unit: RegExp
  readonly text: string
}

const plots: Readonly<Record<string, Plot>> = {
  'evidence/performance': {
    heading: 'All figures',
    columns: [3, 4],
    unit: /^[\d,.]+$/,
    text: 'Processor time of a request, in microseconds. A short bar is better.',
  },
  'evidence/growth': {
    heading: 'Kept figures',
    columns: [2, 3],
    unit: /^[\d,.]+ ms$/,
    text: 'Times in milliseconds. A short bar is better.',
  },
}

/** A figure as a number; undefined for an empty cell, and for one with another unit than the plot. */
const figureOf = (unit: RegExp, cell = '') =>
  unit.test(cell) ? Number.parseFloat(cell.replaceAll(',', '')) : undefined

/** Adds bars to the page of a table that compares. Each row with a figure has one bar for each column. */
export function withBars(page: SitePage): SitePage {
  const plot = plots[page.slug]
  if (plot === undefined) return page
  const start = page.body.indexOf('\n|', page.body.indexOf(`\n## ${plot.heading}\n`)) + 1
  const [header = [], , ...rows] = (page.body.slice(start).split('\n\n')[0] ?? '')
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
  const figures = rows.map((row) => plot.columns.map((column) => figureOf(plot.unit, row[column])))
  const most = Math.max(...figures.flat().map((one) => one ?? 0))
  if (!(most > 0)) throw new Error(`${page.slug} has no figures for its bars`)
  const bars = rows.flatMap(([label = '', ...cells], index) => {
    const drawn = figures[index]?.flatMap((figure, series) =>
      figure === undefined
        ? []
        : [
            `<span class="bar" data-series="${series}" style="--share: ${(figure / most).toFixed(3)}">${cells[(plot.columns[series] ?? 0) - 1]}</span>`,
          ],
    )
    const name = label.replaceAll(/`|\(.*?\)/g, '')
    return drawn?.length ? [`<dt>${name}</dt><dd>${drawn.join('')}</dd>`] : []
  })
  const keys = plot.columns.map(
    (column, series) =>
      `<span class="bar" data-series="${series}">${header[column]?.replace(/, us$/, '')}</span>`,
  )
  const figure = `<figure class="bars"><figcaption>${plot.text} ${keys.join(' ')}</figcaption><dl>${bars.join('')}</dl></figure>\n\n`
  return { ...page, body: page.body.slice(0, start) + figure + page.body.slice(start) }
}
