import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeIdentityProvider } from '../../test/fixtures/signing-identity-provider.ts'
import { keepOnPage, markdownTable } from '../figures.ts'
import { describeRun, howToGet, stayOnLoadCore, versionOf } from '../machine.ts'
import type { Options } from '../options.ts'
import { compare, medianOf, type Pace, type Result, ratioOf, type Side } from './compare.ts'
import { type Contestant, callers, contestants, type Kind, type RouteKind } from './contestants.ts'
import { findings } from './findings.ts'
import { createFixture, createTokens } from './fixture.ts'

/** A goal: the least ratio of the processor time of the other side to that of ours. */
type Goal = { readonly one: Side; readonly to: Side; readonly atLeast: number }

const on = (id: string, kind: Kind): Side => ({ id, kind })
const [haproxy, openssl] = ['haproxy-jwt-verify', 'openssl']

const goals: readonly Goal[] = [
  { one: on('greeting-node', 'remembered'), to: on('greeting-node', 'open'), atLeast: 0.93 },
  { one: on('greeting-node', 'remembered'), to: on('greeting-node', 'unread'), atLeast: 0.93 },
  { one: on('greeting-node', 'remembered'), to: on(haproxy, 'remembered'), atLeast: 2.2 },
  { one: on('greeting-bun', 'remembered'), to: on(haproxy, 'remembered'), atLeast: 3.5 },
  { one: on('greeting-node', 'new'), to: on(haproxy, 'new'), atLeast: 0.8 },
  { one: on('greeting-bun', 'new'), to: on(haproxy, 'new'), atLeast: 1 },
  { one: on('authorizer', 'remembered'), to: on('envoy-jwt-authn', 'remembered'), atLeast: 1 },
  { one: on('authorizer', 'new'), to: on('envoy-jwt-authn', 'new'), atLeast: 1 },
  { one: on('authorizer', 'remembered'), to: on('oauth2-proxy', 'remembered'), atLeast: 4 },
  { one: on('sqlite', 'token'), to: on(openssl, 'token'), atLeast: 0.8 },
]

const newPerLoad = { tiny: 200, whole: 8000 }
/** The first load of a program finds its speed, and the second one compiles its code. */
const warmUpLoads = 2

/** Compares Greeting with its peers; returns the exit code of the process. */
export async function comparePeers(
  wanted: readonly Contestant[],
  { only, tiny, keep, ...lengths }: Options,
): Promise<number> {
  // A tiny run uses a program of the system only for a row that is named.
  const isSmall = tiny && only.length === 0
  const missing = (needs: Contestant['needs'] = []) =>
    needs.filter((program) => isSmall || versionOf(program) === undefined)
  for (const { id, needs } of isSmall ? [] : wanted)
    for (const program of missing(needs))
      console.error(`${id} is omitted: ${program} is missing (${howToGet(program)})`)
  const absent = wanted
    .filter(({ needs }) => missing(needs).length > 0)
    .map(({ title, needs }) => `- ${title}: ${missing(needs).join(', ')}`)
  const present = wanted.filter(({ needs }) => missing(needs).length === 0)
  // A load of 0 seconds has the least number of requests.
  const pace: Pace = tiny
    ? { ...lengths, seconds: 0, warmUpSeconds: 0 }
    : { ...lengths, warmUpSeconds: 2 }

  const folder = await mkdtemp(join(tmpdir(), 'greeting-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const fixture = await createFixture()
  const perLoad = tiny ? newPerLoad.tiny : newPerLoad.whole
  const count = Math.max(callers, perLoad * (warmUpLoads + pace.rounds))
  console.error(`signing ${count} tokens`)
  const tokens = await createTokens(fixture, count)
  // The key set is served from this process.
  stayOnLoadCore()
  const { url: origin, publish, stop } = await startFakeIdentityProvider()
  publish(...fixture.published.map(({ jwk }) => jwk))
  const keySet = { origin, url: `${origin}/${fixture.tenantId}/discovery/keys` }
  const setup = { fixture, keySet, tokens, newPerLoad: perLoad, folder }
  const results = await compare(present, setup, pace).finally(stop)

  const counting = results.filter(({ failures }) => failures.size === 0)
  const text = [
    describeRun(),
    ...findings(counting, haproxy),
    '## All figures',
    ...(absent.length === 0
      ? []
      : ['Not measured, because a program is missing:', absent.join('\n')]),
    ...tables(counting),
  ].join('\n\n')
  console.log(text)
  for (const { contestant, failures } of results)
    for (const failure of failures) console.error(`${contestant.id} does not count: ${failure}`)
  const hasFailures = results.some(({ failures }) => failures.size > 0)
  if (keep && only.length === 0 && !hasFailures) keepOnPage('performance.md', 'peers', text)
  return hasFailures ? 1 : 0
}

/** The titles of the kinds of requests to a resource server. */
const kindTitles: Readonly<Record<RouteKind, string>> = {
  open: 'open',
  unread: 'open, with a token',
  remembered: 'remembered',
  new: 'every token new',
}

function titleWithVersions({ title, needs = [], libraries = [] }: Contestant): string {
  const programs = needs.map((program) => `${program} ${versionOf(program)}`)
  const versions = [...programs, ...libraries].join(', ')
  return versions === '' ? title : `${title} (${versions})`
}

const threeDigits = { maximumSignificantDigits: 3 }

/** The results that count as Markdown: resource servers, token endpoints and goals. */
function tables(counting: readonly Result[]): string[] {
  /** The rows of a table: the title, each kind in microseconds, and some of them to the reference. */
  const rowsOf = (
    table: Contestant['table'],
    kinds: readonly Kind[],
    reference: string,
    compared: readonly Kind[],
  ) =>
    counting
      .filter(({ contestant }) => contestant.table === table)
      .map((result) => {
        const { id } = result.contestant
        const ratio = (kind: Kind) =>
          id === reference ? undefined : ratioOf(counting, on(id, kind), on(reference, kind))?.ratio
        return [
          titleWithVersions(result.contestant),
          ...kinds.map((kind) => medianOf(result, kind)?.toFixed(1) ?? ''),
          ...compared.map((kind) => ratio(kind)?.toFixed(2) ?? ''),
        ]
      })
  /** The rows of a table: the title, and the requests for a second of the processor and by the clock. */
  const speedsOf = (table: Contestant['table'], kinds: readonly Kind[]) =>
    counting
      .filter(({ contestant }) => contestant.table === table)
      .map((result) => [
        result.contestant.title,
        ...kinds.flatMap((kind) => {
          const us = medianOf(result, kind)
          const speeds = [us && 1e6 / us, medianOf(result, kind, 'perSecond')]
          return speeds.map((speed) => speed?.toLocaleString('en', threeDigits) ?? '')
        }),
      ])
  const titleOf = ({ id, kind }: Side) => {
    const title = contestants.find((one) => one.id === id)?.title
    if (title === undefined) throw new TypeError(`a goal names ${id}, which is no program`)
    return kind === 'token' ? title : `${title}, ${kindTitles[kind]}`
  }
  const verdicts = goals.map(({ one, to, atLeast }) => {
    const found = ratioOf(counting, one, to)
    const [name, goal] = [`${titleOf(one)} to ${titleOf(to)}`, atLeast.toFixed(2)]
    if (found === undefined) return [name, goal, 'not measured']
    const within = `± ${Math.round(found.within * 100)} %`
    return [
      name,
      goal,
      found.ratio.toFixed(2),
      within,
      found.ratio >= atLeast ? 'reached' : 'missed',
    ]
  })
  const kinds = ['open', 'unread', 'remembered', 'new'] as const
  const speedHeads = (kind: string) => [`${kind}processor`, `${kind}clock`]
  const kindHeads = kinds.map((kind) => `${kindTitles[kind]}, us`)
  return [
    markdownTable(
      ['resource server', ...kindHeads, 'remembered to HAProxy', 'new to HAProxy'],
      rowsOf('resource server', kinds, haproxy, ['remembered', 'new']),
    ),
    markdownTable(
      ['requests for a second', ...kinds.flatMap((kind) => speedHeads(`${kindTitles[kind]}, `))],
      speedsOf('resource server', kinds),
    ),
    markdownTable(
      ['token endpoint', 'us', 'to openssl'],
      rowsOf('token endpoint', ['token'], openssl, ['token']),
    ),
    markdownTable(
      ['tokens for a second', ...speedHeads('')],
      speedsOf('token endpoint', ['token']),
    ),
    markdownTable(['goal', 'at least', 'found', 'middle half', 'result'], verdicts),
  ]
}
