import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pageMark } from '../../../../test/fixtures/generated-files.ts'
import { refusalTable } from '../../src/refusals/refusal-table.ts'
import { absentFeatures } from './absent-features.ts'
import { claimRows, readRows, settingRows } from './parity-tables.ts'
import type { Replayed } from './replay.ts'

const service = join(import.meta.dirname, '../..')
const root = join(service, '../..')
/** The path of the page, from the root of the repository. */
export const parityFile = join(root, 'docs/reference/entra.md')

type FactColumn = 'fact' | 'section' | 'code' | 'status' | 'error' | 'text' | 'strength' | 'source'
type Fact = Readonly<Record<FactColumn, string>>

/** The facts about Entra ID: the source of every sentence about it on the page. */
export const entraFacts: readonly Fact[] = readRows<FactColumn>('entra-facts.tsv')

/** The strengths of a fact, strongest first. */
export const strengths: Readonly<Record<string, string>> = {
  recorded:
    'A real tenant gave this answer. The answer is in a public recording, or a user published it.',
  documented: 'A page of Microsoft states it.',
  library: 'The code of a client library states it, or a run of that library showed it.',
  reported: 'A third party reports it, without the answer itself.',
  inferred: 'No source states it. It follows from other facts of this page.',
}

/** The numbers of the facts that a text cites, such as `entra E7` and `entra E12 to E14`. */
function citedFacts(text: string): Set<string> {
  const numbers = [...text.matchAll(/\bE(\d+)(?: to E(\d+))?/g)].flatMap(([, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
  )
  return new Set(numbers.map((number) => `E${number}`))
}

const folders = [
  'services/identity-provider/test',
  'packages/directory/test',
  'test/system',
  'packages/client/test',
  'cli/test',
]

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

/** The results of the exchanges on a page, in their order. */
export const resultsOn = (page: string): string[] =>
  [...page.matchAll(/^\| `[A-Z]+ .*` \| \d+ \| (.*) \| E\d+ \|$/gm)].map(
    ([, result = '']) => result,
  )

/**
 * The page about Entra ID, generated from its facts and from the tables of the code.
 *
 * @param replayed the exchanges with their results
 */
export function parityPage(replayed: readonly Replayed[]): string {
  const guide = readFileSync(join(root, 'docs/guides/identity-provider.md'), 'utf8')
  const differing = citedFacts(guide.split('## Known differences from Entra')[1] ?? '')
  const tests = witnesses()
  const testsOf = ({ fact }: Fact) =>
    (tests.get(fact) ?? []).map((file) => `[${file.split('/').at(-1)}](../../${file})`).join(', ')
  const parityOf = ({ fact, text }: Fact) =>
    differing.has(fact) || /This project does not/.test(text) ? 'differs' : 'same'
  const evidenceOf = ({ strength, source }: Fact) => `${strength}: ${source}`
  const refusals = entraFacts.filter(({ code }) => code !== '')
  const sections = Map.groupBy(
    entraFacts.filter(({ code }) => code === ''),
    ({ section }) => section,
  )
  const reasonsOf = ({ code, status, error }: Fact) =>
    Object.entries(refusalTable)
      .filter(
        ([, one]) => `${one.code} ${one.status} \`${one.error}\`` === `${code} ${status} ${error}`,
      )
      .map(([reason]) => `\`${reason}\``)
      .join(', ')
  return `${pageMark}
# Microsoft Entra ID: facts and parity

The identity provider speaks the dialect of Microsoft Entra ID. This page lists each fact about Entra on which code, tests or documents rest,
and what this project does.

Code, tests and documents cite a fact as \`entra E7\`. Its source is [entra-facts.tsv](../../services/identity-provider/test/parity/entra-facts.tsv).
A fact never changes its number. A new fact takes the next number and stands last in its section.
Where a fact is only inferred or reported, the project follows the OAuth standards.
[Operations of the management APIs](graph.md) lists what exists of Microsoft Graph.
[Known differences](../guides/identity-provider.md#known-differences-from-entra) gives the reason of each difference.

## Strength

${table(
  ['strength', 'meaning'],
  Object.entries(strengths).map((cells) => row(...cells)),
)}

## Sources

${table(
  ['source', 'what it is'],
  readRows('entra-sources.tsv').map((cells) => row(...Object.values(cells))),
)}

${[...sections]
  .map(
    ([section, facts]) => `## ${section}

${table(
  ['fact', 'what Entra does', 'here', 'evidence', 'tests'],
  facts.map((fact) => row(fact.fact, fact.text, parityOf(fact), evidenceOf(fact), testsOf(fact))),
)}`,
  )
  .join('\n\n')}

## Refusals

One row for each code that the identity provider sends, with the status and \`error\` that it sends.
The file [refusals.test.ts](../../services/identity-provider/test/endpoints/refusals.test.ts) walks every reason, with status, error, code and text.

${table(
  ['fact', 'AADSTS', 'status', '`error`', 'when', 'reasons here', 'evidence'],
  refusals.map((fact) =>
    row(
      fact.fact,
      fact.code,
      fact.status,
      fact.error,
      fact.text,
      reasonsOf(fact),
      evidenceOf(fact),
    ),
  ),
)}

## Claims

The facts are those above. The file [token-versions.test.ts](../../services/identity-provider/test/dialect/token/token-versions.test.ts) has both versions, claim by claim.

${table(
  ['claim', 'v1.0', 'v2.0', 'when', 'meaning', 'facts'],
  claimRows(sections.get('Access tokens') ?? []).map((cells) => row(...cells)),
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

## Exchanges

A test sends each request to an identity provider. It compares the status and the members that
[exchanges.tsv](../../services/identity-provider/test/parity/exchanges.tsv) has from Entra. A name in braces stands for a value.
${replayed.filter(({ result }) => result === 'same').length} of ${replayed.length} responses are the same.

${table(
  ['request', 'Entra', 'here', 'fact'],
  replayed.map(({ fact, method, path, status, result }) =>
    row(`\`${method} ${path}\``, status, result, fact),
  ),
)}

## Absent

${table(
  ['feature of Entra', 'answer here', 'reason'],
  absentFeatures.map(({ feature, answer, reason }) => row(feature, answer, reason)),
)}
`
}
