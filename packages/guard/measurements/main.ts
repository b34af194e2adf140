import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FaultCost, measureFaultCosts } from './fault-costs.ts'
import { measureTokenMemory, type TokenMemory } from './token-memory.ts'

const { values } = parseArgs({ options: { tokens: { type: 'string', default: '100000' } } })
const page = join(import.meta.dirname, '../../../docs/evidence/faults-guard.md')

const faultTable = (costs: readonly FaultCost[]): string =>
  [
    '| the provider | a known key | an unknown key | fetches | memory |',
    '|---|---|---|---:|---:|',
    ...costs.map(
      ({ fault, knownKey, unknownKey, fetches, memoryBytes }) =>
        `| ${fault} | ${knownKey} | ${unknownKey} | ${fetches} | ${(memoryBytes / 1024 ** 2).toFixed(1)} MB |`,
    ),
  ].join('\n')

const memoryTable = (rows: readonly TokenMemory[]): string =>
  [
    '| distinct valid tokens | of bytes | remembered | heap, more than before | for each remembered | resident, more than before |',
    '|---:|---:|---:|---:|---:|---:|',
    ...rows.map(
      ({ tokens, tokenBytes, remembered, heapBytes, residentBytes }) =>
        `| ${tokens.toLocaleString('en')} | ${tokenBytes.toLocaleString('en')} | ${remembered.toLocaleString('en')} | ${(heapBytes / 1024 ** 2).toFixed(1)} MB | ${Math.round(heapBytes / remembered)} B | ${(residentBytes / 1024 ** 2).toFixed(1)} MB |`,
    ),
  ].join('\n')

const write = (name: string, table: string): void => {
  const [begin, end] = [`<!-- ${name}: written by npm run measure -->`, `<!-- end of ${name} -->`]
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  writeFileSync(page, `${before}${begin}\n\n${table}\n\n${end}${after}`)
}

const memory = await measureTokenMemory(Number(values.tokens))
console.log(memoryTable(memory))
const costs = await measureFaultCosts()
console.log(faultTable(costs))
write('faults', faultTable(costs))
write('memory', memoryTable(memory))
const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
write('machine', `Measured on ${machine}.`)
