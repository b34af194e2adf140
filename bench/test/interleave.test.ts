import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  groupsOf,
  leastRequests,
  measureRows,
  type Pace,
  restAfter,
  turnSeconds,
} from '../harness/interleave.ts'
import type { Sample } from '../harness/load.ts'
import { comparisonsOf } from '../harness/results.ts'
import type { Row, Server } from '../harness/row.ts'
import type { Setup } from '../harness/setup.ts'
import latest from '../results/latest.json' with { type: 'json' }
import { rows } from '../rows/rows.ts'

const pace: Pace = { starts: 1, rounds: 3, secondsPerTurn: 1, warmUpSeconds: 2, connections: 64 }

const setup = {
  cores: () => ({ server: [0], load: [1] }),
  tokensFor: () => undefined,
  // The fake measurement below reads this command.
  generator: ({ url }, { seconds }) => [url, `${seconds}`],
} as Partial<Setup> as Setup

/** A row whose fake server records its calls. */
function fakeRow(id: string, diary: string[], broken: Partial<Server> = {}): Row {
  const note = (what: string) => diary.push(`${id} ${what}`)
  return {
    ...{ id, title: id, table: 'resource server', group: 'group', needs: [], comparedWith: [] },
    ...{ tokens: 'few', serverCores: 1 },
    start: async () => {
      note('starts')
      return {
        request: { url: id },
        prove: async () => {
          note('proves')
          return []
        },
        stop: async () => void note('stops'),
        ...broken,
      }
    },
  }
}

const sample = (requestsPerSecond: number, failures: readonly string[] = []): Sample => ({
  ...{ requestsPerSecond, p99Ms: 1, failures },
})

/** Measures rows without processes: each load is recorded and has this result. */
async function measure(
  rows: readonly Row[],
  { diary = [] as string[], starts = 1, result = (_: string) => sample(1000) } = {},
) {
  const states = await measureRows(rows, {
    setup,
    pace: { ...pace, starts },
    progress: () => undefined,
    measure: async ([id = '', seconds]) => {
      diary.push(`${id} loaded ${seconds} s`)
      return result(id)
    },
    sleep: async (ms) => void diary.push(`rest ${ms}`),
  })
  const ratesOf = (id: string) => {
    const samples = states.find(({ row }) => row.id === id)?.samples.values() ?? []
    return [...samples].map(({ requestsPerSecond }) => requestsPerSecond)
  }
  const failuresOf = (id: string) => [...(states.find(({ row }) => row.id === id)?.failures ?? [])]
  return { states, ratesOf, failuresOf }
}

const first = (line: string): string => line.split(' ')[0] ?? ''
const isLoad = (line: string): boolean => line.includes(' loaded ')

describe('the rounds', () => {
  it('follow the start, check and warm-up of each row, and precede another check and the stop', async () => {
    const diary: string[] = []
    const { ratesOf } = await measure([fakeRow('a', diary), fakeRow('b', diary)], { diary })
    const order = diary.filter((line) => line.endsWith('starts')).map(first)
    const before = (id: string) => [`${id} starts`, `${id} proves`, `${id} loaded 2 s`, 'rest 96']
    assert.deepEqual(diary.slice(0, 8), order.flatMap(before))
    assert.deepEqual(diary.slice(-4).map(first), [...order, ...order])
    assert.deepEqual(
      diary.slice(-4).map((line) => line.slice(2)),
      ['proves', 'proves', 'stops', 'stops'],
    )
    assert.deepEqual(ratesOf('a'), [1000, 1000, 1000], 'the warm-up does not count')
  })

  it('start the servers in random order', async () => {
    const diary: string[] = []
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    await measure(
      ids.map((id) => fakeRow(id, diary)),
      { diary, starts: 3 },
    )
    const started = diary.filter((line) => line.endsWith('starts')).map(first)
    const orders = [started.slice(0, 6), started.slice(6, 12), started.slice(12)]
    for (const order of orders) assert.deepEqual(order.toSorted(), ids)
    // All three are the same one of 720 orders once in half a million runs.
    assert.ok(new Set(orders.map(String)).size > 1)
  })

  it('give each row one turn, one row at a time, in random order', async () => {
    const diary: string[] = []
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    await measure(
      ids.map((id) => fakeRow(id, diary)),
      { diary },
    )
    const turns = diary.filter((line) => line.endsWith('loaded 1 s')).map(first)
    const orders = new Set<string>()
    for (let begin = 0; begin < turns.length; begin += 6) {
      const order = turns.slice(begin, begin + 6)
      assert.deepEqual(order.toSorted(), ids)
      orders.add(order.join(''))
    }
    assert.equal(turns.length, 6 * pace.rounds)
    // All three are the same one of 720 orders once in half a million runs.
    assert.ok(orders.size > 1)
  })

  it('run in groups: only the rows of one group are up', async () => {
    const diary: string[] = []
    const inGroup = (id: string, group: string) => ({ ...fakeRow(id, diary), group })
    const { states } = await measure([
      inGroup('a', 'one'),
      inGroup('new', 'two'),
      inGroup('b', 'one'),
    ])
    const ids = diary.map(first)
    assert.deepEqual(new Set(ids.slice(0, ids.indexOf('new'))), new Set(['a', 'b']))
    assert.deepEqual(new Set(ids.slice(ids.indexOf('new'))), new Set(['new']))
    assert.deepEqual(
      states.map(({ row: { id } }) => id),
      ['a', 'new', 'b'],
    )
  })

  it('are repeated with every server started again, and count together', async () => {
    const diary: string[] = []
    const { ratesOf } = await measure([fakeRow('a', diary)], { starts: 2 })
    const upAndDown = diary.filter((line) => / st(arts|ops)$/.test(line))
    assert.deepEqual(upAndDown, ['a starts', 'a stops', 'a starts', 'a stops'])
    assert.equal(ratesOf('a').length, 6)
  })

  it('compare a row with another one of its group, in every such group', async () => {
    const speeds: Record<string, number> = { first: 3000, reference: 1000, second: 5000 }
    const { states, ratesOf } = await measure(
      [
        { ...fakeRow('first', []), group: 'one', comparedWith: ['reference'] },
        { ...fakeRow('reference', []), group: 'one' },
        { ...fakeRow('second', []), group: 'two', comparedWith: ['reference'] },
      ],
      { result: (id) => sample(speeds[id] ?? 0) },
    )
    assert.deepEqual(comparisonsOf(states), [
      { id: 'first', to: 'reference', ratios: [3, 3, 3] },
      { id: 'second', to: 'reference', ratios: [5, 5, 5] },
    ])
    assert.equal(ratesOf('reference').length, 6)
  })

  const failing: readonly [string, Partial<Server>, (id: string) => Sample, string][] = [
    [
      'accepts unknown keys',
      { prove: async () => ['an unknown key got 200'] },
      () => sample(1),
      'an unknown key got 200',
    ],
    [
      'cannot be checked',
      { prove: () => Promise.reject(new Error('gone')) },
      () => sample(1),
      'gone',
    ],
    [
      'answers with errors',
      {},
      (id) => sample(1000, id === 'bad' ? ['3 of 9 requests failed'] : []),
      '3 of 9 requests failed',
    ],
    [
      'breaks under load',
      {},
      (id) => {
        if (id === 'bad') throw new Error('unable to connect')
        return sample(1000)
      },
      'unable to connect',
    ],
  ]
  for (const [what, broken, result, failure] of failing) {
    it(`drop a row that ${what}, and no other`, async () => {
      const diary: string[] = []
      const { ratesOf, failuresOf } = await measure(
        [fakeRow('bad', diary, broken), fakeRow('good', [])],
        { result },
      )
      assert.deepEqual(failuresOf('bad'), [failure])
      assert.deepEqual(failuresOf('good'), [])
      assert.equal(ratesOf('good').length, 3)
      assert.ok(diary.includes('bad stops'))
    })
  }

  it('spend no time on a row that does not count: no load, no other start', async () => {
    const diary: string[] = []
    const prove = async () => {
      diary.push('bad proves')
      return ['an unknown key got 200']
    }
    await measure([fakeRow('bad', diary, { prove })], { diary, starts: 2 })
    assert.deepEqual(diary, ['bad starts', 'bad proves', 'bad proves', 'bad stops'])
  })

  it('stop all other servers when one cannot be stopped', async () => {
    const diary: string[] = []
    const stuck = { stop: () => Promise.reject(new Error('it hangs')) }
    await measure([fakeRow('stuck', [], stuck), fakeRow('good', diary)])
    assert.equal(diary.at(-1), 'good stops')
  })

  it('drop a row whose server does not start', async () => {
    const lost = { ...fakeRow('lost', []), start: () => Promise.reject(new Error('no')) }
    const { ratesOf, failuresOf } = await measure([lost, fakeRow('good', [])])
    assert.deepEqual(failuresOf('lost'), ['no'])
    assert.equal(ratesOf('good').length, 3)
  })
})

describe('a turn', () => {
  const seconds: readonly [number, number][] = [
    [45_000, 1],
    [256, 1],
    [255, 2],
    [64, 4],
    [1, 20],
    [0, 20],
    [Number.POSITIVE_INFINITY, 1],
  ]
  for (const [requestsPerSecond, expected] of seconds) {
    it(`at ${requestsPerSecond} requests per second lasts ${expected} s`, () => {
      assert.equal(turnSeconds(requestsPerSecond, pace), expected)
    })
  }

  for (const { id, requestsPerSecond } of latest) {
    it(`measures enough requests of ${id} on a machine a quarter as fast`, () => {
      const speed = requestsPerSecond / 4
      assert.ok(speed * turnSeconds(speed, pace) >= leastRequests(pace))
    })
  }

  it('is longer for a row without answers during its warm-up, and the row counts', async () => {
    const diary: string[] = []
    let loads = 0
    const result = () => (loads++ === 0 ? sample(0, ['no request was answered']) : sample(16))
    const { failuresOf, ratesOf } = await measure([fakeRow('slow', [])], { diary, result })
    assert.deepEqual(diary.filter(isLoad), [
      'slow loaded 2 s',
      'slow loaded 20 s',
      'slow loaded 16 s',
      'slow loaded 16 s',
    ])
    assert.deepEqual(failuresOf('slow'), [])
    assert.deepEqual(ratesOf('slow'), [16, 16, 16])
  })

  const rests: readonly [number, number][] = [
    [45_000, 50],
    [540, 178],
    [135, 712],
    [0, 5000],
  ]
  for (const [requestsPerSecond, expected] of rests) {
    it(`at ${requestsPerSecond} requests per second is followed by a pause of ${expected} ms`, () => {
      assert.equal(restAfter(requestsPerSecond, pace), expected)
    })
  }
})

describe('the groups', () => {
  const groups = groupsOf(rows)

  it('measure every row', () => {
    assert.deepEqual(new Set(groups.flatMap((group) => group.rows)), new Set(rows))
  })

  for (const { name, rows: members } of groups) {
    it(`are small, so that no server idles for long: ${name}`, () => {
      assert.ok(members.length >= 2 && members.length <= 5, `${members.length} rows`)
    })

    it(`send the same kind of request to each row: ${name}`, () => {
      assert.equal(new Set(members.map(({ table, tokens }) => `${table} ${tokens}`)).size, 1)
    })
  }

  it('contain every row to which another is compared', () => {
    const ids = new Set(rows.map(({ id }) => id))
    for (const { id, comparedWith } of rows) {
      for (const other of comparedWith) {
        assert.ok(ids.has(other), `${id} is compared with ${other}, which is not a row`)
      }
    }
  })
})
