import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Contender, HeldLoad, Lab, Pace, Running, Sample } from '../harness/contender.ts'
import { contenders } from '../harness/contenders.ts'
import { heatsOf, measureInHeats } from '../harness/heats.ts'
import { proportionsOf } from '../harness/result.ts'

const pace: Pace = {
  starts: 1,
  aloneSeconds: 0,
  turns: 2,
  turnMs: 0,
  restMs: 0,
  rounds: 3,
  connections: 1,
}
// These contenders ask the laboratory for nothing.
const lab = {} as Lab

const sample = (requestsPerSecond: number, faults: readonly string[] = []): Sample => ({
  requestsPerSecond,
  p99Ms: requestsPerSecond * 10,
  busy: 1,
  microseconds: 1,
  faults,
})

/** A load that writes down what is done with it. */
const load = (name: string, diary: string[], found: Sample): HeldLoad => ({
  go: () => void diary.push(`${name} goes`),
  hold: () => void diary.push(`${name} is held`),
  end: () => {
    diary.push(`${name} ends`)
    return Promise.resolve(found)
  },
})

const none: readonly string[] = []

/** A contender that writes down what is done with it. */
function contender(id: string, diary: string[], broken: Partial<Running> = {}): Contender {
  return {
    id,
    title: id,
    group: 'resource server',
    heat: 'theirs',
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
        load: (nth) => Promise.resolve(load(`${id} ${nth}`, diary, sample(nth))),
        stop: () => {
          diary.push(`${id} stops`)
          return Promise.resolve()
        },
        ...broken,
      })
    },
  }
}

const measure = (contenders: readonly Contender[], starts = 1) =>
  measureInHeats(contenders, lab, { ...pace, starts }, () => undefined)

describe('the rounds', () => {
  it('come after each was started, proved and loaded by itself; then all are proved and stopped', async () => {
    const diary: string[] = []
    const outcomes = await measure([contender('a', diary), contender('b', diary)])
    const alone = (name: string) => [`${name} goes`, `${name} is held`, `${name} ends`]
    const before = (id: string) => [
      ...[`${id} starts`, `${id} proves`],
      ...[...alone(`${id} 0`), ...alone(`${id} 1`)],
    ]
    const order = diary.filter((line) => line.endsWith('starts')).map((line) => line.charAt(0))
    assert.deepEqual(diary.slice(0, 16), order.flatMap(before))
    assert.deepEqual(diary.slice(-4), ['a proves', 'b proves', 'a stops', 'b stops'])
    for (const { rates, p99Ms } of outcomes) {
      assert.deepEqual([...rates.values()], [2, 3, 4])
      assert.equal(p99Ms, 10, 'of the last load by itself')
    }
  })

  it('start the servers in an order that is drawn each time', async () => {
    const diary: string[] = []
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    await measure(
      ids.map((id) => contender(id, diary)),
      3,
    )
    const started = diary.filter((line) => line.endsWith('starts')).map((line) => line.charAt(0))
    const orders = [started.slice(0, 6), started.slice(6, 12), started.slice(12)]
    for (const order of orders) assert.deepEqual(order.toSorted(), ids)
    // That all three are one of 720 happens once in half a million times.
    assert.ok(new Set(orders.map(String)).size > 1)
  })

  it('give each one turn after the other, in an order that is drawn each time', async () => {
    const diary: string[] = []
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    await measure(ids.map((id) => contender(id, diary)))
    const orders = new Set<string>()
    for (const nth of [2, 3, 4]) {
      const round = diary.filter((line) => line.includes(` ${nth} `) && !line.endsWith('ends'))
      assert.equal(round.length, pace.turns * 12)
      for (let begin = 0; begin < round.length; begin += 12) {
        const turns = round.slice(begin, begin + 12)
        const order = turns.filter((line) => line.endsWith('goes')).map((line) => line[0])
        assert.deepEqual(order.toSorted(), ids)
        const oneAtATime = order.flatMap((id) => [`${id} ${nth} goes`, `${id} ${nth} is held`])
        assert.deepEqual(turns, oneAtATime)
        orders.add(order.join(''))
      }
    }
    // That all six are one of 720 happens once in 200 billion times.
    assert.ok(orders.size > 1)
  })

  it('are held in heats: nobody is up but who takes turns', async () => {
    const diary: string[] = []
    const of = (id: string, heat: string) => ({ ...contender(id, diary), heat })
    const outcomes = await measure([of('a', 'ours'), of('new', 'theirs'), of('b', 'ours')])
    const whose = diary.map((line) => line.split(' ')[0])
    const ours = whose.slice(0, whose.indexOf('new'))
    assert.deepEqual(new Set(ours), new Set(['a', 'b']))
    assert.deepEqual(new Set(whose.slice(ours.length)), new Set(['new']))
    assert.deepEqual(
      outcomes.map(({ contender: { id } }) => id),
      ['a', 'new', 'b'],
    )
  })

  it('are held again with every server started anew, and count together', async () => {
    const diary: string[] = []
    const [a] = await measure([contender('a', diary)], 2)
    const upAndDown = diary.filter((line) => / st(arts|ops)$/.test(line))
    assert.deepEqual(upAndDown, ['a starts', 'a stops', 'a starts', 'a stops'])
    assert.deepEqual([...(a?.rates.values() ?? [])], [2, 3, 4, 2, 3, 4])
  })

  it('set a row in proportion to another of their heat, in every heat that names it', async () => {
    const speed = (id: string, factor: number): Contender => ({
      ...contender(id, [], {
        load: (nth) => Promise.resolve(load(id, [], sample(nth * factor))),
      }),
    })
    const outcomes = await measure([
      { ...speed('first', 3), heat: 'one', comparedWith: ['reference'] },
      { ...speed('reference', 1), heat: 'one' },
      { ...speed('second', 5), heat: 'two', comparedWith: ['reference'] },
    ])
    assert.deepEqual(proportionsOf(outcomes), [
      { id: 'first', to: 'reference', ratios: [3, 3, 3] },
      { id: 'second', to: 'reference', ratios: [5, 5, 5] },
    ])
    assert.equal(outcomes[1]?.rates.size, 6)
  })

  const faulty: readonly [string, Partial<Running>, string][] = [
    [
      'proves to let strangers in',
      { prove: () => Promise.resolve(['a stranger got 200']) },
      'a stranger got 200',
    ],
    ['cannot be asked', { prove: () => Promise.reject(new Error('it is gone')) }, 'it is gone'],
    [
      'answers with errors',
      { load: () => Promise.resolve(load('bad', [], sample(1, ['3 failed']))) },
      '3 failed',
    ],
    [
      'cannot be loaded',
      { load: () => Promise.reject(new Error('unable to connect')) },
      'unable to connect',
    ],
    [
      'breaks under load',
      {
        load: () =>
          Promise.resolve({
            ...load('bad', [], sample(1)),
            end: () => Promise.reject(new Error('no answer')),
          }),
      },
      'no answer',
    ],
  ]
  for (const [what, broken, fault] of faulty) {
    it(`take its row from a contender that ${what}, and nothing from the others`, async () => {
      const diary: string[] = []
      const [bad, good] = await measure([contender('bad', diary, broken), contender('good', [])])
      assert.deepEqual(bad?.faults, [fault])
      assert.deepEqual(good?.faults, [])
      assert.deepEqual([...(good?.rates.values() ?? [])], [2, 3, 4])
      assert.ok(diary.includes('bad stops'))
    })
  }

  it('spend no time on what is known to be faulty: no load, no other start', async () => {
    const diary: string[] = []
    const prove = () => {
      diary.push('bad proves')
      return Promise.resolve(['a stranger got 200'])
    }
    await measure([contender('bad', diary, { prove })], 2)
    assert.deepEqual(diary, ['bad starts', 'bad proves', 'bad proves', 'bad stops'])
  })

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
    assert.deepEqual([...(good?.rates.values() ?? [])], [2, 3, 4])
  })
})

describe('the heats', () => {
  const heats = heatsOf(contenders)

  it('have everybody who is measured in one of them', () => {
    const measured = new Set(heats.flatMap((heat) => heat.contenders))
    assert.deepEqual(measured, new Set(contenders))
  })

  for (const { name, contenders: rows } of heats) {
    it(`are so small that nobody idles for long: ${name}`, () => {
      assert.ok(rows.length >= 2 && rows.length <= 5, `${rows.length} rows`)
    })

    it(`ask all alike: ${name}`, () => {
      assert.equal(new Set(rows.map(({ group, tokens }) => `${group} ${tokens}`)).size, 1)
    })
  }

  it('know every row that another is compared with', () => {
    const ids = new Set(contenders.map(({ id }) => id))
    for (const row of contenders) {
      for (const id of row.comparedWith) {
        assert.ok(ids.has(id), `${row.id} is compared with ${id}, which is no row`)
      }
    }
  })
})
