import { setTimeout } from 'node:timers/promises'
import { measureLoad, type Sample } from './load.ts'
import type { Row, Server } from './row.ts'
import type { Setup } from './setup.ts'

export type Pace = {
  /** Number of starts of every server. */
  readonly starts: number
  /** Number of rounds after each start. Each row has one turn in a round. */
  readonly rounds: number
  /** Minimum length of a turn, in seconds. */
  readonly secondsPerTurn: number
  /** Length of the load before the rounds, in seconds, for the compiler. */
  readonly warmUpSeconds: number
  readonly connections: number
}

export type Tools = {
  readonly setup: Setup
  readonly pace: Pace
  /** Receives the name of each step before it begins. */
  readonly progress: (step: string) => void
  readonly measure?: typeof measureLoad
  readonly sleep?: (ms: number) => Promise<unknown>
}

/** The results of one row so far. */
export type RunState = {
  readonly row: Row
  /** One sample per round, by the name of the round. */
  readonly samples: Map<string, Sample>
  /** After one failure the row does not count, and no more time is spent on it. */
  readonly failures: Set<string>
}

const requestsPerConnection = 4
const longestTurnSeconds = 20
const restMs = { least: 50, most: 5_000 } as const

/** Minimum number of requests in a turn. */
export const leastRequests = ({ connections }: Pace): number => connections * requestsPerConnection

/**
 * The length of a turn at the speed of a row: enough requests for a measurement, on any machine.
 */
export function turnSeconds(requestsPerSecond: number, pace: Pace): number {
  const seconds = Math.ceil(leastRequests(pace) / requestsPerSecond)
  return Math.max(pace.secondsPerTurn, Math.min(seconds, longestTurnSeconds))
}

/** The pause after a turn: the server finishes the last request of every connection in it. */
export function restAfter(requestsPerSecond: number, { connections }: Pace): number {
  const lastRequestsMs = (1.5 * connections * 1000) / requestsPerSecond
  return Math.max(restMs.least, Math.min(Math.ceil(lastRequestsMs), restMs.most))
}

/** In random order, so that no row always follows the same other row. */
export const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

/** The rows that take turns, with the rows to which they are compared. */
export function groupsOf(rows: readonly Row[]): { name: string; rows: readonly Row[] }[] {
  return [...Map.groupBy(rows, ({ group }) => group)].map(([name, members]) => {
    const references = new Set(members.flatMap(({ comparedWith }) => comparedWith))
    return { name, rows: rows.filter(({ group, id }) => group === name || references.has(id)) }
  })
}

/** Measures the rows group by group, and starts all servers again for each start of the pace. */
export async function measureRows(rows: readonly Row[], tools: Tools): Promise<RunState[]> {
  const states = rows.map((row) => ({ row, samples: new Map(), failures: new Set<string>() }))
  for (let start = 1; start <= tools.pace.starts; start++) {
    for (const group of groupsOf(rows)) {
      const members = states.filter(({ row }) => group.rows.includes(row))
      await measureGroup(`${group.name}, start ${start} of ${tools.pace.starts}`, members, tools)
    }
  }
  return states
}

/** A started row, the speed of its last load, and the number of tokens that its loads have used. */
type Active = RunState & { readonly server: Server; requestsPerSecond: number; tokensUsed: number }

const isFaultless = ({ failures }: RunState): boolean => failures.size === 0

/**
 * Starts, checks and warms up the rows of a group, loads them in turns, checks them again and stops
 * them.
 */
async function measureGroup(
  name: string,
  states: readonly RunState[],
  { setup, pace, progress, measure = measureLoad, sleep = setTimeout }: Tools,
): Promise<void> {
  const active: Active[] = []
  const load = async (state: Active, seconds: number): Promise<Sample | undefined> => {
    const { row, server } = state
    const cores = setup.cores(row.serverCores)
    const mustBeUnique = row.tokens === 'unique'
    const tokens = setup.tokensFor(row.tokens, state.tokensUsed)
    const request = { ...server.request, ...(tokens && { tokens }) }
    const command = (row.generator ?? setup.generator)(request, { ...pace, seconds })
    const where = row.generator === undefined ? cores.load : cores.server
    const sample = await orFailure(state, () => measure(command, where, mustBeUnique))
    state.tokensUsed += tokens?.count ?? 0
    if (sample !== undefined) state.requestsPerSecond = sample.requestsPerSecond
    await sleep(restAfter(state.requestsPerSecond, pace))
    return sample
  }
  try {
    for (const state of shuffled(states.filter(isFaultless))) {
      const { row } = state
      progress(`${name}: starting ${row.id}`)
      const server = await orFailure(state, () =>
        row.start(setup, setup.cores(row.serverCores).server),
      )
      if (server === undefined) continue
      const started = {
        ...state,
        server,
        requestsPerSecond: Number.POSITIVE_INFINITY,
        tokensUsed: 0,
      }
      active.push(started)
      await prove(started)
      // Only the rounds count: a slow server may answer nothing in a short warm-up.
      if (pace.warmUpSeconds > 0 && isFaultless(state)) await load(started, pace.warmUpSeconds)
    }
    for (let round = 1; round <= pace.rounds; round++) {
      const step = `${name}: round ${round} of ${pace.rounds}`
      progress(step)
      for (const state of shuffled(active.filter(isFaultless))) {
        const sample = await load(state, turnSeconds(state.requestsPerSecond, pace))
        if (sample === undefined) continue
        state.samples.set(step, sample)
        for (const failure of sample.failures) state.failures.add(failure)
      }
    }
    for (const state of active) await prove(state)
  } finally {
    // A server that cannot be stopped must not prevent the stop of the others.
    await Promise.allSettled(active.map(({ server }) => server.stop()))
  }
}

async function prove(state: Active): Promise<void> {
  const failures = await orFailure(state, () => state.server.prove())
  for (const failure of failures ?? []) state.failures.add(failure)
}

/** Awaits work for a row. A rejection becomes a failure of this row and of no other. */
async function orFailure<Result>(
  { failures }: RunState,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    failures.add(error instanceof Error ? error.message : `${error}`)
    return undefined
  }
}
