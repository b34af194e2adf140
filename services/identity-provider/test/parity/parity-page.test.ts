import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { refusalTable } from '../../src/refusals/refusal-table.ts'
import { entraFacts, parityFile, parityPage, resultsOn, strengths } from './parity-page.ts'
import { exchanges } from './replay.ts'

// For other faulty parameters OAuth decides the status, so one row stands for all of them (entra E133).
const otherParameter = '90100'

describe('docs/reference/entra.md', () => {
  it('equals the tables (npm run generate writes it)', () => {
    const page = readFileSync(parityFile, 'utf8')
    const results = resultsOn(page)
    const shown = exchanges.map((exchange, index) => ({
      ...exchange,
      result: results[index] ?? '',
    }))
    assert.equal(page, parityPage(shown))
  })

  it('lists a fact for each exchange', () => {
    const facts = new Set(entraFacts.map(({ fact }) => fact))
    assert.deepEqual(
      exchanges.filter(({ fact }) => !facts.has(fact)),
      [],
    )
  })

  it('lists exactly the codes that refusals can send', () => {
    const documented = entraFacts
      .filter(({ code }) => code !== '')
      .map(({ code, status, error }) =>
        code === otherParameter ? code : `${code} ${status} ${error}`,
      )
    const sent = Object.values(refusalTable).map(({ code, status, error }) =>
      String(code) === otherParameter ? otherParameter : `${code} ${status} \`${error}\``,
    )
    assert.deepEqual([...new Set(sent)].toSorted(), documented.toSorted())
  })

  it('gives each fact a different number', () => {
    const numbers = entraFacts.map(({ fact }) => fact)
    assert.deepEqual(
      numbers.filter((fact, index) => numbers.indexOf(fact) !== index),
      [],
    )
  })

  it('gives each fact one of the defined strengths', () => {
    for (const { fact, strength } of entraFacts) assert.ok(Object.hasOwn(strengths, strength), fact)
  })
})
