import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { refusalTable } from '../../src/dialect/refusals/refusal-table.ts'
import { graphOperations } from '../../src/management/graph/graph-operations.ts'
import { absentFeatures } from './absent-features.ts'
import { claimRows, settingRows } from './parity-tables.ts'

const service = join(import.meta.dirname, '../..')
const root = join(service, '../..')
/** The page, from the root of the repository. */
export const parityFile = join(root, 'docs/generated/parity.md')

type Fact = { id: string; cells: readonly string[]; strength: string; source: string }

/** The facts of a page, each a row of a table. */
function readFacts(page: string): Fact[] {
  return page
    .split('\n')
    .filter((line) => /^\| E\d+ \|/.test(line))
    .map((line) => {
      const [id = '', ...cells] = line.slice(2, -2).split(' | ')
      const [strength = '', source = ''] = cells.splice(-2)
      return { id, cells, strength, source }
    })
}

/** The numbers of the facts that a text cites, such as `entra E7` and `entra E12 to E14`. */
function citedFacts(text: string): Set<string> {
  const numbers = [...text.matchAll(/\bE(\d+)(?: to E(\d+))?/g)].flatMap(([, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
  )
  return new Set(numbers.map((number) => `E${number}`))
}

const folders = ['services/identity-provider/test', 'e2e/test', 'packages/client/test', 'cli/test']

/** The test files that cite each fact. */
function witnesses(): Map<string, string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('parity'))
      .map((name) => join(root, folder, name)),
  )
  const found = new Map<string, string[]>()
  for (const file of files.sort()) {
    const citations = readFileSync(file, 'utf8').match(/entra E\d+[E\d, to]*/g) ?? []
    for (const fact of citedFacts(citations.join(' ')))
      found.set(fact, [...(found.get(fact) ?? []), relative(root, file)])
  }
  return found
}

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]) =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n')

/** The parity page, generated from the tables of the code and from the facts about Entra. */
export function parityPage(): string {
  const page = readFileSync(join(root, 'docs/explanation/entra.md'), 'utf8')
  const facts = readFacts(page)
  const accessTokenFacts = readFacts(page.split('\n## Access tokens\n')[1]?.split('\n## ')[0] ?? '')
  const guide = readFileSync(join(root, 'docs/guides/identity-provider.md'), 'utf8')
  const differing = citedFacts(guide.split('## Known differences from Entra')[1] ?? '')
  const tests = witnesses()
  const testsOf = (id: string) =>
    (tests.get(id) ?? []).map((file) => `[${file.split('/').at(-1)}](../../${file})`).join(', ')
  const parityOf = ({ id, cells }: Fact) =>
    differing.has(id) || /This project does not/.test(cells.join(' ')) ? 'differs' : 'same'
  const refusals = facts.filter(({ cells }) => cells.length > 1)
  const others = facts.filter(({ cells }) => cells.length === 1)
  const reasonsOf = (code = '', status = '', error = '') =>
    Object.entries(refusalTable)
      .filter(
        ([, one]) => `${one.code} ${one.status} \`${one.error}\`` === `${code} ${status} ${error}`,
      )
      .map(([reason]) => `\`${reason}\``)
      .join(', ')
  return `# Parity with Entra ID

This page is generated from tables: \`npm run parity -w services/identity-provider\`. A test compares it.
[Facts about Entra](../explanation/entra.md) explains the strength of each fact, and
[known differences](../guides/identity-provider.md#known-differences-from-entra) the reason of each difference.

## Behaviour

${table(
  ['fact', 'what Entra does', 'here', 'evidence', 'tests'],
  others.map((fact) =>
    row(
      fact.id,
      fact.cells[0] ?? '',
      parityOf(fact),
      `${fact.strength}: ${fact.source}`,
      testsOf(fact.id),
    ),
  ),
)}

## Refusals

The file [refusals.test.ts](../../services/identity-provider/test/http/refusals.test.ts) walks every reason, with status, error, code and text.

${table(
  ['fact', 'AADSTS', 'status', '`error`', 'reasons here', 'evidence'],
  refusals.map(({ id, cells: [code = '', status = '', error = ''], strength, source }) =>
    row(id, code, status, error, reasonsOf(code, status, error), `${strength}: ${source}`),
  ),
)}

## Claims

The facts are those above. The file [token-versions.test.ts](../../services/identity-provider/test/dialect/token/token-versions.test.ts) has both versions, claim by claim.

${table(
  ['claim', 'v1.0', 'v2.0', 'when', 'meaning', 'facts'],
  claimRows(accessTokenFacts).map((cells) => row(...cells)),
)}

## Settings of applications and service principals

The settings of Entra are properties in Microsoft Graph. "Same" means that the property has the effect that Graph documents. "Kept and shown" means
that it has no effect, because no user takes part. A property with a fixed value refuses another one.
[application-description.test.ts](../../services/identity-provider/test/management/graph/applications/application-description.test.ts)
and [application-body.test.ts](../../services/identity-provider/test/management/graph/applications/application-body.test.ts) write and read them.

${table(
  ['property', 'application', 'service principal'],
  settingRows().map((cells) => row(...cells)),
)}

## Operations of Microsoft Graph

Each is documented in the Graph reference, and does what [this table](../reference/graph.md#microsoft-graph-at-v10) says.

${table(
  ['operation', 'here'],
  graphOperations.map(({ method, path, summary }) => row(`\`${method} ${path}\``, summary)),
)}

## Absent

${table(
  ['feature of Entra', 'answer here', 'reason'],
  absentFeatures.map(({ feature, answer, reason }) => row(feature, answer, reason)),
)}
`
}
