import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startAttackedServer } from './attack/attacked-server.ts'

// `npm run attack` takes more. Some changes succeed by chance, so more batches follow the least number.
const [sequences, leastBatches, mostBatches] = [10, 3, 24]

describe('random requests from all kinds of callers (AS32)', () => {
  it('get no response that the reference forbids', async () => {
    await using server = await startAttackedServer()
    const { undue, answers } = server.attack.findings
    const changesWith = (outcome: 'done' | 'refused') =>
      [...answers].filter(([name, count]) => !name.includes(' GET ') && count[outcome] > 0).length
    // A run that is refused everywhere, or nowhere, would show nothing.
    const isEnough = () => changesWith('done') > 15 && changesWith('refused') > 25
    for (let batch = 0; batch < leastBatches || (batch < mostBatches && !isEnough()); batch += 1)
      await server.attack.run(sequences, 1 + batch * sequences)
    assert.deepEqual(undue, [])
    assert.ok(server.attack.findings.tokens > sequences)
    assert.ok(
      isEnough(),
      `${changesWith('done')} succeeded, ${changesWith('refused')} were refused`,
    )
  })
})
