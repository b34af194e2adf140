import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepOnPage, markdownTable } from '../figures.ts'
import { describeRun, howToGet, stayOnLoadCore, versionOf } from '../machine.ts'
import type { Options } from '../options.ts'
import { compare, medianUs, type Pace, type Result, ratioOf, type Side } from './compare.ts'
import { type Contestant, callers, contestants, type Kind } from './contestants.ts'
import { createFixture, createTokens, type Fixture, keySetOf } from './fixture.ts'

/** A goal: the least ratio of the processor time of the other side to that of ours. */
type Goal = { readonly one: Side; readonly to: Side; readonly atLeast: number }

const goal = (id: string, kind: Kind, to: string, toKind: Kind, atLeast: number): Goal => ({
  one: { id, kind },
  to: { id: to, kind: toKind },
  atLeast,
})

const goals: readonly Goal[] = [
  goal('greeting-node', 'remembered', 'greeting-node', 'open', 0.92),
  goal('greeting-node', 'remembered', 'haproxy-jwt-verify', 'remembered', 2.2),
  goal('greeting-bun', 'remembered', 'haproxy-jwt-verify', 'remembered', 3.5),
  goal('greeting-node', 'new', 'haproxy-jwt-verify', 'new', 0.8),
  goal('greeting-bun', 'new', 'haproxy-jwt-verify', 'new', 1),
  goal('sqlite', 'token', 'openssl', 'token', 0.8),
]

const newPerLoad = { tiny: 200, whole: 8000 }
/** The first load of a program finds its speed, and the second one compiles its code. */
const warmUpLoads = 2

/** Compares Greeting with its peers; returns the exit code of the process. */
export async function comparePeers(
  wanted: readonly Contestant[],
  { only, tiny, keep, ...lengths }: Options,
): Promise<number> {
  const missing = (needs: Contestant['needs']) =>
    needs.filter((program) => tiny || versionOf(program) === undefined)
  for (const { id, needs } of tiny ? [] : wanted)
    for (const program of missing(needs))
      console.error(`${id} is omitted: ${program} is missing (${howToGet(program)})`)
  const present = wanted.filter(({ needs }) => missing(needs).length === 0)
  // A load of 0 seconds has the least number of requests.
  const pace: Pace = tiny
    ? { ...lengths, seconds: 0, warmUpSeconds: 0 }
    : { ...lengths, warmUpSeconds: 2 }

  const folder = await mkdtemp(join(tmpdir(), 'greeting-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const fixture = createFixture()
  const perLoad = tiny ? newPerLoad.tiny : newPerLoad.whole
  const count = Math.max(callers, perLoad * (warmUpLoads + pace.rounds))
  console.error(`signing ${count} tokens`)
  const tokens = await createTokens(fixture, count)
  // The key set is served from this process.
  stayOnLoadCore()
  const { keySet, stop } = await serveKeySet(fixture)
  const setup = { fixture, keySet, tokens, newPerLoad: perLoad, folder }
  const results = await compare(present, setup, pace).finally(stop)

  const text = [describeRun(), ...tables(results)].join('\n\n')
  console.log(text)
  for (const { contestant, failures } of results)
    for (const failure of failures) console.error(`${contestant.id} does not count: ${failure}`)
  const hasFailures = results.some(({ failures }) => failures.size > 0)
  if (keep && only.length === 0 && !hasFailures) keepOnPage('performance.md', 'peers', text)
  return hasFailures ? 1 : 0
}

/** The titles of the kinds of requests to a resource server. */
const kindTitles = { open: 'open', remembered: 'remembered', new: 'every token new' } as const
const [haproxy, openssl] = ['haproxy-jwt-verify', 'openssl']

/** The results as Markdown: resource servers, token endpoints and goals. */
function tables(results: readonly Result[]): string[] {
  const counting = results.filter(({ failures }) => failures.size === 0)
  const of = (table: string) => counting.filter(({ contestant }) => contestant.table === table)
  const microseconds = (result: Result, kind: Kind) => medianUs(result, kind)?.toFixed(1) ?? ''
  const ratio = (one: Side, to: Side) =>
    one.id === to.id ? '' : (ratioOf(counting, one, to)?.ratio.toFixed(2) ?? '')
  const kinds = ['open', 'remembered', 'new'] as const
  const servers = of('resource server').map((result) => {
    const { id, title } = result.contestant
    const toHaproxy = (['remembered', 'new'] as const).map((kind) =>
      ratio({ id, kind }, { id: haproxy, kind }),
    )
    return [title, ...kinds.map((kind) => microseconds(result, kind)), ...toHaproxy]
  })
  const issuers = of('token endpoint').map((result) => {
    const { id, title } = result.contestant
    const toOpenssl = ratio({ id, kind: 'token' }, { id: openssl, kind: 'token' })
    return [title, microseconds(result, 'token'), toOpenssl]
  })
  const titleOf = ({ id, kind }: Side) => {
    const title = contestants.find((one) => one.id === id)?.title
    if (title === undefined) throw new TypeError(`a goal names ${id}, which is no program`)
    return kind === 'token' ? title : `${title}, ${kindTitles[kind]}`
  }
  const verdicts = goals.map(({ one, to, atLeast }) => {
    const found = ratioOf(counting, one, to)
    return [
      `${titleOf(one)} to ${titleOf(to)}`,
      atLeast.toFixed(2),
      found?.ratio.toFixed(2) ?? 'not measured',
      found === undefined ? '' : `± ${Math.round(found.within * 100)} %`,
      found === undefined ? '' : found.ratio >= atLeast ? 'reached' : 'missed',
    ]
  })
  const kindHeads = kinds.map((kind) => `${kindTitles[kind]}, us`)
  return [
    markdownTable(
      ['resource server', ...kindHeads, 'remembered to HAProxy', 'new to HAProxy'],
      servers,
    ),
    markdownTable(['token endpoint', 'us', 'to openssl'], issuers),
    markdownTable(['goal', 'at least', 'found', 'middle half', ''], verdicts),
  ]
}

async function serveKeySet(fixture: Fixture) {
  const body = keySetOf(fixture)
  // The path of Entra's key set.
  const path = `/${fixture.tenantId}/discovery/keys`
  const server = createServer(({ url }, response) => {
    response.writeHead(url === path ? 200 : 404, { 'content-type': 'application/json' })
    response.end(url === path ? body : '{}')
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { keySet: { origin, url: origin + path }, stop }
}
