import { createGuard, entra as entraOptions } from '@greeting/guard'
import { type ForgeryResult, startEntra, tryForgeries } from '@greeting/testing'
import { peers } from './peers.ts'
import { missingPrograms, springSecurity } from './spring-security.ts'

// `node main.ts` calls each API with a genuine token and with each hostile token, and prints the table of
// docs/evidence/forgeries.md. A refusal is a status from 400 to 499.

const role = 'Orders.Read'
await using entra = await startEntra({
  registrations: {
    apis: { 'Orders API': { roles: [role] } },
    clients: { 'Payroll job': { roles: { 'Orders API': [role] } } },
  },
})
const api = entra.api('Orders API')
const tokens = {
  genuine: await entra.mint('Orders API'),
  forgeries: await entra.forgeries('Orders API'),
}

const columns: { name: string; results: readonly ForgeryResult[] }[] = []

const guard = createGuard(entraOptions(api.guardOptions))
await guard.start()
columns.push({
  name: '@greeting/guard',
  results: await tryForgeries(tokens, async (token) => {
    const credentials = { authorization: `Bearer ${token}`, target: '/' }
    const decision = await guard.decide(credentials, role)
    return { status: decision.outcome === 'admitted' ? 200 : decision.status }
  }),
})
guard.stop()

const chosen = missingPrograms.length === 0 ? [...peers, springSecurity] : peers
if (missingPrograms.length > 0) {
  console.error(
    `${springSecurity.name} is left out: ${missingPrograms.join(', ')} is not installed`,
  )
}
for (const { name, versions, start } of chosen) {
  const peer = await start({ ...api.verification, role })
  const results = await tryForgeries(tokens, (token) =>
    fetch(peer.url, { headers: { authorization: `Bearer ${token}` } }),
  )
  await peer.stop()
  console.error(`${name}: ${versions().join(', ')}`)
  columns.push({ name, results })
}

const marks = { refused: '', accepted: 'accepted' }
const cell = ({ outcome, status }: ForgeryResult) =>
  outcome === 'failed' ? `status ${status}` : marks[outcome]
const names = columns.map(({ name }) => name)
console.log(`| token | ${names.join(' | ')} | section |`)
console.log(`| --- | ${names.map(() => '---').join(' | ')} | --- |`)
for (const [index, { name, section }] of tokens.forgeries.entries()) {
  const cells = columns.map(({ results }) => cell(results[index] as ForgeryResult))
  if (cells.some((text) => text !== ''))
    console.log(`| \`${name}\` | ${cells.join(' | ')} | ${section} |`)
}
const count = (outcome: ForgeryResult['outcome']) =>
  columns.map(({ results }) => results.filter((one) => one.outcome === outcome).length)
console.log(`| accepted, of ${tokens.forgeries.length} | ${count('accepted').join(' | ')} | |`)
console.log(`| another status than 4xx | ${count('failed').join(' | ')} | |`)
process.exit()
