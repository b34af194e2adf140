import assert from 'node:assert/strict'
import { it } from 'node:test'
import { watchParent } from '../../src/system/parent-watch.ts'

it('watchParent reports once that the parent has exited, even if another process adopts the child', () => {
  for (const heir of [1, 4711]) {
    let parent = 42
    let gone = 0
    let isWatched = true
    let tick = () => {}
    const repeat = (call: () => void) => {
      tick = () => isWatched && call()
      return () => {
        isWatched = false
      }
    }
    watchParent({ parentId: () => parent, repeat }, () => {
      gone += 1
    })
    tick()
    assert.equal(gone, 0)
    parent = heir
    tick()
    tick()
    assert.equal(gone, 1)
  }
})
