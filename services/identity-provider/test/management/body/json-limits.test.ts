import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exceededJsonLimit } from '../../../src/management/body/json-body.ts'

const limits = { maxLevels: 3, maxPropertiesOfObject: 2, maxValues: 6 }
const exceeded = (text: string) => exceededJsonLimit(new TextEncoder().encode(text), limits)

describe('the limits of a JSON text (AS38)', () => {
  const within: readonly (readonly [name: string, text: string])[] = [
    ['three levels', '{"a":{"b":["c"]}}'],
    ['levels one after the other', '[[[]],[]]'],
    ['two properties in each of two objects', '[{"a":1,"b":2},{"a":1}]'],
    ['two properties around an object with two', '{"a":{"x":1,"y":2},"b":1}'],
    ['six values', '[1,2,3,4,5,6]'],
    ['marks in a text', '["{[:,:,:,:,]}"]'],
    ['marks after an escaped quote', String.raw`["\":,:,:,:,[[[["]`],
    ['marks after an escaped backslash', String.raw`["\\",":,:,:,[[["]`],
    ['a text that is not closed', '["a,,,,,,,,,'],
    ['no text', ''],
  ]
  for (const [name, text] of within) {
    it(`permit ${name}`, () => {
      assert.equal(exceeded(text), undefined)
    })
  }

  const refused: readonly (readonly [name: string, text: string, limit: string])[] = [
    ['four levels', '{"a":{"b":[{}]}}', 'maxLevels'],
    ['three properties in one object', '{"a":1,"b":2,"c":3}', 'maxPropertiesOfObject'],
    ['three properties of an inner object', '[{"a":1,"b":2,"c":3}]', 'maxPropertiesOfObject'],
    ['three properties after an object', '{"a":{"x":1},"b":2,"c":3}', 'maxPropertiesOfObject'],
    ['seven values', '[1,2,3,4,5,6,7]', 'maxValues'],
    ['seven empty arrays', '[[],[],[],[],[],[],[]]', 'maxValues'],
    ['seven values in all', '[[1,2,3],[4,5]]', 'maxValues'],
    ['marks after a text with an escape', String.raw`["\\",1,2,3,4,5,6]`, 'maxValues'],
  ]
  for (const [name, text, limit] of refused) {
    it(`refuse ${name}`, () => {
      assert.equal(exceeded(text), limit)
    })
  }

  for (const part of ['[', '{"a":', ',', '":",', '"a":1,'])
    it(`are found before the rest of a text of many ${JSON.stringify(part)} is read`, () => {
      const text = new TextEncoder().encode(`[${part.repeat(100_000)}`)
      let reads = 0
      const counted = new Proxy(text, {
        get: (target, name) => {
          if (name === 'length') return target.length
          reads += 1
          return target[Number(name)]
        },
      })
      assert.notEqual(exceededJsonLimit(counted, limits), undefined)
      assert.ok(reads < 200, `${reads} bytes`)
    })
})
