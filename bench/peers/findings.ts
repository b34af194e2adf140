import { markdownTable } from '../figures.ts'
import { medianOf, type Result, ratioOf, type Side } from './compare.ts'

/** The sides of ours that are compared with each guarded peer. */
const ours = [
  { id: 'greeting-node', kind: 'remembered', title: 'Node, remembered', server: '`node:http`' },
  { id: 'greeting-node', kind: 'new', title: 'Node, every token new', server: '`node:http`' },
  { id: 'greeting-bun', kind: 'remembered', title: 'Bun, remembered', server: '`Bun.serve`' },
  { id: 'greeting-bun', kind: 'new', title: 'Bun, every token new', server: '`Bun.serve`' },
] as const

const oursIds: readonly string[] = [...ours.map(({ id }) => id), 'authorizer']

/** The time of the other side divided by that of one side, if need be through a program that both ran beside. */
function factorOf(results: readonly Result[], reference: string, one: Side, to: Side) {
  const direct = ratioOf(results, one, to)?.ratio
  if (direct !== undefined) return direct
  const between = { id: reference, kind: one.kind }
  const [mine, theirs] = [one, to].map((side) => ratioOf(results, side, between)?.ratio)
  return mine === undefined || theirs === undefined ? undefined : mine / theirs
}

/**
 * Lists where Greeting needs more CPU time than its peers and why, and then where it needs less.
 *
 * @param results those that count
 * @param reference the program that runs beside each peer
 * @returns nothing for a run without Greeting
 */
export function findings(results: readonly Result[], reference: string): string[] {
  const peers = results
    .map(({ contestant }) => contestant)
    .filter(({ id, table }) => table === 'resource server' && !oursIds.includes(id))
  const rows = peers.map(({ id, title }) => ({
    title,
    factors: ours.map((one) => factorOf(results, reference, one, { id, kind: one.kind })),
  }))
  const usOf = (id: string, kind: Side['kind']) => {
    const result = results.find(({ contestant }) => contestant.id === id)
    return result && medianOf(result, kind)
  }
  const table = (head: string, cellOf: (factor: number) => string | undefined) => {
    const body = rows
      .map(({ title, factors }) => [title, ...factors.map((one) => (one && cellOf(one)) || '')])
      .filter(([, ...cells]) => cells.some((cell) => cell !== ''))
    return markdownTable([head, ...ours.map(({ title }) => title)], body)
  }
  const reasons = ours.flatMap(({ id, kind, title, server }, column) => {
    const factors = rows.flatMap(({ factors }) => factors[column] ?? [])
    const [open, us] = [usOf(id, 'open'), usOf(id, kind)]
    if (factors.length === 0 || open === undefined || us === undefined) return []
    const count = factors.filter((factor) => factor < 1).length
    const share = open / us
    const most = share < 0.5 ? 'the guard costs most' : `${server} costs most, not the guard`
    const times = `the open route takes ${open.toFixed(1)} of ${us.toFixed(1)} us`
    const unread = kind === 'remembered' ? usOf(id, 'unread') : undefined
    return [
      `- ${title}: ${count} of ${factors.length} programs need less time than Greeting.`,
      `  Here ${times} (${Math.round(share * 100)} %), so ${most}.`,
      ...(unread === undefined
        ? []
        : [`  With a token that it does not read, the open route takes ${unread.toFixed(1)} us.`]),
    ]
  })
  if (reasons.length === 0) return []
  const bare = usOf('node-http', 'open')
  if (bare !== undefined)
    reasons.push(`- Bare \`node:http\` takes ${bare.toFixed(1)} us for the open route.`)
  return [
    '## Where Greeting is behind',
    reasons.join('\n'),
    table('our time to that of', (factor) => (factor < 1 ? (1 / factor).toFixed(2) : undefined)),
    '## Where Greeting is ahead',
    table('to our time, that of', (factor) => (factor < 1 ? undefined : factor.toFixed(2))),
  ]
}
