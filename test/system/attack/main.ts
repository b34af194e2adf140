import { parseArgs } from 'node:util'
import { PostgresServer } from '../../fixtures/postgres-server.ts'
import { startAttackedServer } from './attacked-server.ts'

// `npm run attack -- --sequences 10000 --store postgresql --seed 1`: random requests to a real identity
// provider. The reference documentation decides which responses are right. It exits with 1 after a wrong one.

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'sqlite' },
  },
})
const sequences = Number(values.sequences)
await using opened = new AsyncDisposableStack()
const postgres = values.store === 'postgresql' ? await PostgresServer.start() : undefined
opened.defer(async () => postgres?.stop())
const server = opened.use(await startAttackedServer(await postgres?.database()))
const { attack, client } = server
const startedMs = performance.now()
let shown = 0
await attack.run(sequences, Number(values.seed), (done) => {
  const { undue } = attack.findings
  for (const sentence of undue.slice(shown)) console.log(`undue: ${sentence}`)
  shown = undue.length
  if (done % 500 === 0) console.error(`${done} of ${sequences}, ${shown} undue`)
})
const { answers, undue, tokens } = attack.findings
const seconds = Math.round((performance.now() - startedMs) / 1000)
for (const [operation, { done, refused }] of [...answers].toSorted())
  console.log(`${operation}: ${done} succeeded, ${refused} refused`)
console.log(
  `${sequences} sequences, ${client.requests} requests, ${tokens} tokens in ${seconds} s: ${undue.length} undue`,
)
process.exitCode = undue.length > 0 ? 1 : 0
