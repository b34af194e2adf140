import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One query of a panel, with the text of its series. */
export type Query = { readonly expr: string; readonly legendFormat: string }

/** A graph over time, or the title of a row without queries. */
export type Panel = {
  readonly type: 'timeseries' | 'row'
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
  readonly targets?: readonly Query[]
}

/** A dashboard in the format of Grafana. */
export type Dashboard = {
  /** The name of the file, and the ID in Grafana. */
  readonly uid: string
  readonly title: string
  /** What the reader chooses. */
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly Panel[]
}

const folder = join(import.meta.dirname, '../chart/files/dashboards')

/** The dashboards of the chart, by the names of their files. */
export const dashboards: ReadonlyMap<string, Dashboard> = new Map(
  readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
)

/** The panels with a graph. */
export const graphsOf = ({ panels }: Dashboard): readonly Panel[] =>
  panels.filter(({ type }) => type === 'timeseries')

/** The time over which Grafana computes a rate: at least four scrapes. */
export const rateInterval = '$__rate_interval'

/** Their first value comes with the first cleanup of the store, after 5 minutes. */
const lateMetrics = /\bgreeting_(credentials_ending|storage_bytes)\b/

export const isLate = ({ targets = [] }: Panel): boolean =>
  targets.some(({ expr }) => lateMetrics.test(expr))
