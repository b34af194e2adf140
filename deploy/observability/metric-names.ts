import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const pages = ['identity-provider', 'greeting-api', 'authorizer'].map(
  (name) => `docs/reference/${name}.md`,
)
const name = /\b(?:greeting|http_server|nodejs|process)_[a-z0-9_]+\b/g

/** The names of the metrics in a PromQL expression, without the suffixes of a histogram. */
export const metricsIn = (expression: string): string[] =>
  (expression.replace(/\w+:\w+:\w+/g, '').match(name) ?? []).map((one) =>
    one.replace(/(?<=_seconds)_(bucket|count|sum)$/, ''),
  )

/** The metrics that the reference pages list. */
export const documentedMetrics = (root: string): ReadonlySet<string> =>
  new Set(pages.flatMap((page) => readFileSync(join(root, page), 'utf8').match(name) ?? []))

/** The metrics in an expression that are not filtered by release. */
export const unfilteredMetrics = (expression: string, filter: string): string[] =>
  [
    ...expression.matchAll(
      /(?<![\w:])(up|(?:greeting|http_server|nodejs|process)[_:][a-z0-9_:]+)(?:{([^}]*)})?/g,
    ),
  ]
    .filter(([, , matchers = '']) => !matchers.includes(filter))
    .map(([, name = '']) => name)
