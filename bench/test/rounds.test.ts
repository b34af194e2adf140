import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Contender, Lab, Pace, Running, Sample } from '../harness/contender.ts'
import { contenders } from '../harness/contenders.ts'
import { heatOf, measureInHeats } from '../harness/rounds.ts'

const pace: Pace = { seconds: 1, warmUps: 2, rounds: 3, connections: 1 }
// These contenders ask the laboratory for nothing.
const lab = {} as Lab

const sample = (requestsPerSecond: number, faults: readonly string[] = []): Sample => ({
  requestsPerSecond,
  p99Ms: 1,
  busy: 1,
  microseconds: 1,
  faults,
})

const none: readonly string[] = []

/** A contender that writes down what is done with it. */
function contender(id: string, diary: string[], broken: Partial<Running> = {}): Contender {
  return {
    id,
    title: id,
    group: 'resource server',
    needs: [],
    comparedWith: [],
    tokens: 'few',
    start: () => {
      diary.push(`${id} starts`)
      return Promise.resolve({
        prove: () => {
          diary.push(`${id} proves`)
          return Promise.resolve([...none])
        },
        load: (turn) => {
          diary.push(`${id} ${turn}`)
          return Promise.resolve(sample(turn))
        },
        stop: () => {
          diary.push(`${id} stops`)
          return Promise.resolve()
        },
        ...broken,
      })
    },
  }
}

const measure = (contenders: readonly Contender[]) =>
  measureInHeats(contenders, lab, pace, () => undefined)

describe('the rounds', () => {
  it('start and warm up each, measure all in turn, to and fro, and stop all', async () => {
    const diary: string[] = []
    const [a, b] = await measure([contender('a', diary), contender('b', diary)])
    assert.deepEqual(diary, [
      ...['a starts', 'a proves', 'a 0', 'a 1'],
      ...['b starts', 'b proves', 'b 0', 'b 1'],
      ...['a 2', 'b 2'],
      ...['b 3', 'a 3'],
      ...['a 4', 'b 4'],
      ...['a proves', 'b proves'],
      ...['a stops', 'b stops'],
    ])
    assert.deepEqual(a?.rates, [2, 3, 4])
    assert.deepEqual(b?.rates, [2, 3, 4])
  })

  it('are held in heats: nobody is up while others are asked otherwise', async () => {
    const diary: string[] = []
    const of = (id: string, tokens: Contender['tokens'], group: Contender['group']) => ({
      ...contender(id, diary),
      tokens,
      group,
    })
    const outcomes = await measure([
      of('a', 'few', 'resource server'),
      of('new', 'every one new', 'resource server'),
      of('open', 'few', 'resource server'),
      of('issuer', 'none', 'token endpoint'),
    ])
    const upAndDown = diary.filter((line) => / st(arts|ops)$/.test(line))
    assert.deepEqual(upAndDown, [
      ...['a starts', 'open starts', 'a stops', 'open stops'],
      ...['new starts', 'new stops'],
      ...['issuer starts', 'issuer stops'],
    ])
    assert.deepEqual(
      outcomes.map(({ contender: { id } }) => id),
      ['a', 'new', 'open', 'issuer'],
    )
  })

  it('set every row in proportion to rows of its own heat', () => {
    for (const row of contenders) {
      for (const id of row.comparedWith) {
        const other = contenders.find((contender) => contender.id === id)
        assert.ok(other, `${row.id} is compared with ${id}, which is no row`)
        assert.equal(heatOf(other), heatOf(row), `${row.id} to ${id}`)
      }
    }
  })

  const faulty: readonly [string, Partial<Running>, string][] = [
    [
      'proves to let strangers in',
      { prove: () => Promise.resolve(['a stranger got 200']) },
      'a stranger got 200',
    ],
    ['cannot be asked', { prove: () => Promise.reject(new Error('it is gone')) }, 'it is gone'],
    ['answers with errors', { load: () => Promise.resolve(sample(1, ['3 failed'])) }, '3 failed'],
    ['breaks under load', { load: () => Promise.reject(new Error('no answer')) }, 'no answer'],
  ]
  for (const [what, broken, fault] of faulty) {
    it(`take its row from a contender that ${what}, and nothing from the others`, async () => {
      const diary: string[] = []
      const [bad, good] = await measure([contender('bad', diary, broken), contender('good', [])])
      assert.deepEqual(bad?.faults, [fault])
      assert.deepEqual(good?.faults, [])
      assert.deepEqual(good?.rates, [2, 3, 4])
      assert.ok(diary.includes('bad stops'))
    })
  }

  it('stop all others when one cannot be stopped', async () => {
    const diary: string[] = []
    const stuck = { stop: () => Promise.reject(new Error('it hangs')) }
    await measure([contender('stuck', [], stuck), contender('good', diary)])
    assert.equal(diary.at(-1), 'good stops')
  })

  it('take its row from a contender that does not start', async () => {
    const lost: Contender = {
      ...contender('lost', []),
      start: () => Promise.reject(new Error('no')),
    }
    const [bad, good] = await measure([lost, contender('good', [])])
    assert.deepEqual(bad?.faults, ['no'])
    assert.deepEqual(good?.rates, [2, 3, 4])
  })
})
