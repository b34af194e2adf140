import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exceededJsonLimit } from '../../../src/management/body/json-body.ts'

const limits = { maxLevels: 3, maxPropertiesOfObject: 2, maxValues: 6 }
const exceeded = (text: string) => exceededJsonLimit(new TextEncoder().encode(text), limits)

describe('the limits of a JSON text (AS38)', () => {
  const within: readonly (readonly [name: string, text: string])[] = [
    ['three levels', '{"a":{"b":["c"]}}'],
    ['consecutive levels', '[[[]],[]]'],
    ['two properties in each of two objects', '[{"a":1,"b":2},{"a":1}]'],
    ['two properties beside an object with two', '{"a":{"x":1,"y":2},"b":1}'],
    ['six values', '[1,2,3,4,5,6]'],
    ['punctuation in a string', '["{[:,:,:,:,]}"]'],
    ['punctuation after an escaped quote', String.raw`["\":,:,:,:,[[[["]`],
    ['punctuation after an escaped backslash', String.raw`["\\",":,:,:,[[["]`],
    ['an unterminated string', '["a,,,,,,,,,'],
    ['an empty text', ''],
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
    ['seven values in total', '[[1,2,3],[4,5]]', 'maxValues'],
    ['punctuation after a string with an escape', String.raw`["\\",1,2,3,4,5,6]`, 'maxValues'],
  ]
  for (const [name, text, limit] of refused) {
    it(`refuse ${name}`, () => {
      assert.equal(exceeded(text), limit)
    })
  }

  for (const part of ['[', '{"a":', ',', '":",', '"a":1,'])
    it(`reject a text of many ${JSON.stringify(part)} before the rest is read`, () => {
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
