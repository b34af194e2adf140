import assert from 'node:assert/strict'
import { it } from 'node:test'
import { table } from '../harness/table.ts'

it('a table lines up: names to the left, figures to the right', () => {
  assert.equal(
    table(
      ['server', 'requests/s', ''],
      [
        ['ours', '1,000', 'x'],
        ['bare `node:http`', '900'],
      ],
    ),
    [
      '| server           | requests/s |     |',
      '| ---------------- | ---------: | --: |',
      '| ours             |      1,000 |   x |',
      '| bare `node:http` |        900 |     |',
    ].join('\n'),
  )
})
