import type { Panel } from './dashboards.ts'

/** The series of a panel, as pairs of epoch seconds and value. */
export type PanelData = {
  readonly panel: Panel
  readonly series: readonly {
    readonly name: string
    readonly values: readonly (readonly [number, number])[]
  }[]
}

const [width, height, margin] = [420, 200, 48]
const colors = ['#3366cc', '#dc3912', '#109618', '#ff9900', '#990099', '#0099c6', '#aaaa11']

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)

const format = (value: number) =>
  Math.abs(value) >= 1000 ? value.toExponential(1) : String(Number(value.toPrecision(3)))

/** One panel as a simple graph, which stands in for the graph of Grafana. */
function graphOf({ panel, series }: PanelData): string {
  const points = series.flatMap(({ values }) =>
    values.filter(([, value]) => Number.isFinite(value)),
  )
  const [first, last] = [Math.min, Math.max].map((pick) => pick(...points.map(([time]) => time)))
  const highest = Math.max(...points.map(([, value]) => value), 0) || 1
  const x = (time: number) =>
    margin + ((time - (first ?? 0)) / Math.max((last ?? 1) - (first ?? 0), 1)) * (width - margin)
  const y = (value: number) => height - 20 - (value / highest) * (height - 30)
  const lines = series.map(({ values }, index) => {
    const path = values
      .filter(([, value]) => Number.isFinite(value))
      .map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`)
    return `<polyline fill="none" stroke="${colors[index % colors.length]}" points="${path.join(' ')}"/>`
  })
  const legend = series.map(
    ({ name }, index) =>
      `<span style="color:${colors[index % colors.length]}">${escapeHtml(name || 'no label')}</span>`,
  )
  return `<figure><figcaption>${escapeHtml(panel.title)} (${panel.unit})</figcaption>
<svg width="${width}" height="${height}"><path d="M${margin} 10V${height - 20}H${width}" fill="none" stroke="#999"/>
<text x="2" y="16">${format(highest)}</text><text x="2" y="${height - 18}">0</text>${lines.join('')}</svg>
<p>${legend.join(' ')}</p></figure>`
}

/** A page with a graph for each panel of a dashboard. */
export const dashboardPage = (title: string, panels: readonly PanelData[]): string =>
  `<!doctype html><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<style>body{font:12px sans-serif}main{display:grid;grid-template-columns:repeat(3,1fr)}figcaption{font-weight:bold}</style>
<h1>${escapeHtml(title)}</h1><main>${panels.map(graphOf).join('')}</main>`
