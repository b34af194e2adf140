import assert from 'node:assert/strict'
import { it } from 'node:test'
import { watchParent } from '../src/parent-watch.ts'

it('tells once that the parent is gone, whichever process takes its place', () => {
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
