import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineOf } from '@greeting/registrations'

const text = `{
  "apis": [
    { "displayName": "Orders",
      "appRoles": [{ "value": "a" },
        { "value": "b" }] },
    { "displayName": "Bills" }
  ]
}`

describe('the line of a path in a JSON text', () => {
  for (const [path, line] of [
    ['apis', 2],
    ['apis[0]', 3],
    ['apis[0].appRoles', 4],
    ['apis[0].appRoles[1].value', 5],
    ['apis[0].appRoles[1].missing', 4],
    ['apis[1]', 6],
    ['apis[1].appRoles', 2],
    ['clients', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${line ?? 'unknown'} for ${path || 'the whole file'}`, () => {
      assert.equal(lineOf(text, path), line)
    })
  }

  it('does not depend on comments or trailing commas', () => {
    const commented = text
      .replace('"apis"', '/* { "a": [ */ "apis"')
      .replace('"b" }]', '"b", }, // "c": {\n]')
    assert.equal(lineOf(commented, 'apis[1]'), 7)
  })
})
