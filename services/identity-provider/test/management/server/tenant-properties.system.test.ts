import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'

it('a row of the property table adds a property to tenants and to the organization', async () => {
  const worker = new Worker(new URL('./added-tenant-property.ts', import.meta.url))
  const [seen] = await once(worker, 'message')
  assert.deepEqual(seen, {
    values: [null, 'CH-ZH', null, 'CH-BE'],
    refused: 400,
    created: [201, 'FR'],
    listed: 'CH-BE',
    changedOther: 204,
    kept: 'CH-BE',
  })
})
