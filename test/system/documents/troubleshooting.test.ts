import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { root } from '../greeting-process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/troubleshooting.md')
const refusals = read('docs/reference/guard.md')
const messages = [
  'packages/client/src/network-fault.ts',
  'packages/client/src/token/token-errors.ts',
  'packages/http-service/src/process/start-failure.ts',
].map(read)

/** The first cells of the tables of a section, in which `…` stands for any text of a line. */
const symptomsOf = (heading: string) =>
  [
    ...(page.split(`\n## ${heading}`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `(.+?)` \|(.*)/gm),
  ].map(([, symptom = '', rest = '']) => {
    const parts = symptom.split('…').map((part) => RegExp.escape(part))
    return { symptom, pattern: new RegExp(parts.join('.*')), rest }
  })

it('docs/troubleshooting.md lists each refusal as the guard sends it, with its reasons', () => {
  const rows = symptomsOf('401 of the API')
  assert.equal(rows.length, 8)
  for (const { symptom, pattern, rest } of rows) {
    const [, cell = ''] = /^ (.+?) \|/.exec(rest) ?? []
    for (const [, reason = ''] of cell.matchAll(/`(.+?)`/g)) {
      const row = refusals.split('\n').find((line) => line.startsWith(`| \`${reason}\` `))
      assert.match(row ?? '', pattern, `${symptom}: ${reason}`)
    }
  }
})

it('docs/troubleshooting.md lists each connection fault as it is printed', () => {
  const rows = symptomsOf('Connections')
  assert.equal(rows.length, 10)
  for (const { symptom, pattern } of rows) {
    assert.ok(
      messages.some((text) => pattern.test(text)),
      symptom,
    )
  }
})
