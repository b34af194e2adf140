import type { Contender } from './contender.ts'
import { reach } from './goals.ts'
import { median, type Outcome, type Proportion, type Result, spreadOf } from './result.ts'
import { table } from './table.ts'

type Group = Contender['group']

/** The proportions that a table shows: a column names the rows that it may stand in proportion to. */
const proportions: Readonly<Record<Group, readonly { title: string; to: readonly string[] }[]>> = {
  'resource server': [
    { title: 'to its open route', to: ['greeting-node-open', 'greeting-bun-open'] },
    { title: 'to HAProxy', to: ['haproxy-jwt-verify', 'haproxy-jwt-verify-new'] },
  ],
  'token endpoint': [
    { title: 'to openssl', to: ['openssl-rsa2048-sign'] },
    { title: 'to one core', to: ['identity-provider-sqlite', 'identity-provider-postgresql'] },
  ],
}

const headings: Readonly<Record<Group, string>> = {
  'resource server': 'resource server',
  'token endpoint': 'token endpoint',
}

const thousands = (count: number): string => Math.round(count).toLocaleString('en-US')
const percent = (share: number | null): string =>
  share === null ? '' : `${Math.round(share * 100)} %`

/** The results as Markdown tables, one for each group, without anything that changes by chance. */
export function resultTables(contenders: readonly Contender[], results: readonly Result[]): string {
  return groupsOf(contenders)
    .map((group) => {
      const columns = proportions[group]
      const rows = results.flatMap((result) => {
        const contender = contenders.find(({ id }) => id === result.id)
        return contender?.group === group ? [rowOf(contender, result, columns)] : []
      })
      const head = [headings[group], 'requests/s', 'p99 ms', ...columns.map(({ title }) => title)]
      return table(head, rows)
    })
    .join('\n\n')
}

function rowOf(
  { title }: Contender,
  { requestsPerSecond, p99Ms, ratioTo }: Result,
  columns: readonly { to: readonly string[] }[],
): string[] {
  return [
    title,
    thousands(requestsPerSecond),
    p99Ms === null ? '' : p99Ms.toFixed(1),
    ...columns.map(({ to }) => to.flatMap((id) => ratioTo[id]?.toFixed(2) ?? []).join('')),
  ]
}

const groupsOf = (contenders: readonly Contender[]): Group[] => [
  ...new Set(contenders.map(({ group }) => group)),
]

/** The goals as a Markdown table. */
export function goalTable(contenders: readonly Contender[], results: readonly Result[]): string {
  const titleOf = (id: string) => contenders.find((contender) => contender.id === id)?.title ?? id
  return table(
    ['goal', 'at least', 'found', 'middle half', ''],
    reach(results).map(({ id, to, atLeast, found, within }) => [
      `${titleOf(id)} to ${titleOf(to)}`,
      atLeast.toFixed(2),
      found?.toFixed(2) ?? 'not measured',
      within === undefined ? '' : `± ${percent(within)}`,
      found === undefined ? '' : found >= atLeast ? 'reached' : 'missed',
    ]),
  )
}

/** How far each row may be believed: only printed, as it says more of the hour than of the servers. */
export function noiseTable(outcomes: readonly Outcome[]): string {
  return table(
    ['row', 'middle half of the rounds', 'server cores busy', 'server µs/request'],
    outcomes.map(({ contender, rates, busy, microseconds }) => [
      contender.id,
      rates.size === 0 ? 'not measured' : `± ${percent(spreadOf([...rates.values()]))}`,
      percent(busy),
      microseconds?.toFixed(1) ?? '',
    ]),
  )
}

/** The same of the proportions, which is what the goals are about. */
export function proportionTable(proportions: readonly Proportion[]): string {
  return table(
    ['row', 'to', 'median of the rounds', 'middle half', 'least', 'most'],
    proportions.map(({ id, to, ratios }) => [
      id,
      to,
      median(ratios).toFixed(2),
      `± ${percent(spreadOf(ratios))}`,
      Math.min(...ratios).toFixed(2),
      Math.max(...ratios).toFixed(2),
    ]),
  )
}

/** Every row that does not count, with the reasons. */
export function faultLines(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ contender, faults }) =>
    faults.map((fault) => `${contender.id} does not count: ${fault}`),
  )
}
