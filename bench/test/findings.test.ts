import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Result } from '../peers/compare.ts'
import { contestants, type Kind } from '../peers/contestants.ts'
import { findings } from '../peers/findings.ts'

/** A program with the same microseconds in each round. */
function result(id: string, rounds: readonly string[], us: Partial<Record<Kind, number>>): Result {
  const contestant = contestants.find((one) => one.id === id)
  assert.ok(contestant)
  const cost = (us: number) => new Map(rounds.map((round) => [round, { us, perSecond: 1 }]))
  const costs = new Map(Object.entries(us).map(([kind, one]) => [kind as Kind, cost(one)]))
  return { contestant, costs, failures: new Set() }
}

const reference = 'haproxy-jwt-verify'
const results = [
  result('greeting-node', ['a', 'b'], { open: 20, unread: 24, remembered: 25, new: 100 }),
  result('greeting-bun', ['a'], { open: 10, remembered: 40, new: 50 }),
  result(reference, ['a', 'b'], { remembered: 50, new: 50 }),
  result('node-http', ['a'], { open: 19 }),
  result('rust-cached', ['b'], { remembered: 10, new: 200 }),
  result('authorizer', ['a'], { remembered: 1, new: 1 }),
]
const text = findings(results, reference).join('\n\n')
const [behind = '', ahead = ''] = text.split('## Where Greeting is ahead')
const cellsOf = (part: string, title: string) =>
  part
    .split('\n')
    .find((line) => line.startsWith(`| ${title} `))
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())

it('the findings list the slower results first, and each factor in one of two tables', () => {
  assert.ok(text.startsWith('## Where Greeting is behind'))
  assert.deepEqual(cellsOf(behind, 'HAProxy `jwt_verify`'), ['', '2.00', '', ''])
  assert.deepEqual(cellsOf(ahead, 'HAProxy `jwt_verify`'), ['2.00', '', '1.25', '1.00'])
})

it('the findings compare programs of different groups through the reference', () => {
  assert.deepEqual(cellsOf(behind, 'Rust axum + jsonwebtoken, cached'), ['2.50', '', '4.00', ''])
  assert.deepEqual(cellsOf(ahead, 'Rust axum + jsonwebtoken, cached'), ['', '2.00', '', '4.00'])
})

it('the findings give a reason that depends on the share of the open route', () => {
  assert.match(
    behind,
    /Node, remembered: 1 of 2 .+\n.+20\.0 of 25\.0 us \(80 %\), so `node:http` costs most/,
  )
  assert.match(behind, /With a token that it does not read, the open route takes 24\.0 us\./)
  assert.match(behind, /Bun, remembered: 1 of 2 .+\n.+10\.0 of 40\.0 us \(25 %\), so the guard/)
  assert.match(behind, /Bare `node:http` takes 19\.0 us/)
})

it('the findings are empty for a run without Greeting', () => {
  assert.deepEqual(findings(results.slice(2), reference), [])
})
