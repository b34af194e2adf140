import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createManagementApps } from '../../src/management/create-apps.ts'
import { loadManagementApps } from '../../src/management/load-apps.ts'

it('loadApps loads the management APIs in parts, and lets other work run between them', async () => {
  let turns = 0
  let isLoaded = false
  const countTurn = () => {
    turns += 1
    if (!isLoaded) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  const loaded = await loadManagementApps()
  isLoaded = true
  assert.equal(loaded.createManagementApps, createManagementApps)
  assert.ok(turns >= 20, `${turns} turns`)
})
