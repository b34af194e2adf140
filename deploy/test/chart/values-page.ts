import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { pageMark } from '../../../test/fixtures/generated-files.ts'

// Writes the page of the chart's values: `npm run generate`.

const chart = join(import.meta.dirname, '../../chart')
type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
}
const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'))
const resolved = (one: Schema): Schema =>
  one.$ref === undefined ? one : { ...schema.$defs[one.$ref.slice('#/$defs/'.length)], ...one }

type Row = { readonly path: string; readonly form: string; default: string; meaning: string }
type Key = { readonly value: string; readonly commentBefore?: string }

const sentence = (text: string) =>
  text && `${text[0]?.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
/** The last paragraph of a comment, as a sentence. */
const textOf = (comment: string | null | undefined) =>
  sentence(
    comment
      ?.split(/\n\s*\n/)
      .at(-1)
      ?.replaceAll(/\s+/g, ' ')
      .trim() ?? '',
  )

/** One row for each value that has no further names of its own. */
function rowsOf(map: YAMLMap, of: Schema, path = '', about = ''): readonly Row[] {
  return map.items.flatMap((item, index) => {
    const { key, value } = item as Pair<Key, YAMLMap>
    const own = resolved(of.properties?.[key.value] ?? {})
    const full = `${path}${key.value}`
    // The parser hangs the comment of the first key on its map.
    const comment = textOf(key.commentBefore ?? (index === 0 && path ? map.commentBefore : ''))
    if (isMap(value) && own.properties !== undefined && value.items.length > 0)
      return rowsOf(
        value,
        own,
        `${full}.`,
        path ? comment || sentence(own.description ?? '') : comment,
      )
    const form = own.enum?.join(', ') ?? [own.type].flat().join(' or ')
    const start = index === 0 ? about : ''
    const meaning = `${start} ${comment || (start ? '' : sentence(own.description ?? ''))}`.trim()
    const shown = JSON.stringify(isScalar(value) ? value.value : value?.toJSON())
    return [{ path: full, form, default: shown, meaning }]
  })
}

const rows = rowsOf(
  parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8')).contents as YAMLMap,
  schema,
)
/** Both services have most values alike, and values.yaml explains them once. */
const twinOf = ({ path, form, default: shown }: Row) =>
  rows.find(
    (one) =>
      one.path === path.replace(/^api\./, 'identityProvider.') &&
      one.form === form &&
      one.default === shown,
  )

export const file = 'docs/reference/chart.md'

export const text = `${pageMark}
# Values of the chart

[The guide](../guides/deploying.md#kubernetes) describes the chart. The values are in [values.yaml](../../deploy/chart/values.yaml).

| value | form | default | meaning |
| --- | --- | --- | --- |
${rows
  .filter((row) => row.path === twinOf(row)?.path || !twinOf(row))
  .map(({ path, form, default: shown, meaning }) => {
    const twins = rows.filter((one) => twinOf(one)?.path === path)
    const paths = twins.map((one) => `\`${one.path}\``).join(', ')
    return `| ${paths || `\`${path}\``} | ${form} | \`${shown}\` | ${meaning} |`
  })
  .join('\n')}
`
