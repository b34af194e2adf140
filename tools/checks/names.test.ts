import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertOnly, codesOfMicrosoftGraph } from './exceptions.ts'
import { read, sources, workspaces } from './source-tree.ts'

const products = sources.filter((file) => /^(packages|services|cli)\/(.+\/)?src\//.test(file))

const workspaceOf = (file: string) =>
  workspaces.find(({ path }) => file.startsWith(`${path}/`))?.path ?? file

/** Terms of OAuth that must not name another thing, and words without meaning. */
const forbiddenNames: readonly { name: RegExp; use: string; isAllowedIn?: string }[] = [
  { name: /^[aA]cts?$/, use: 'registration step' },
  { name: /(?:^b|B)ooks?(?![a-z])/, use: 'audit log, sign-in log' },
  { name: /^Caller$/, use: 'operation context', isAllowedIn: 'packages/guard' },
  { name: /[dD]oorkeeper/, use: 'Bloom filter' },
  { name: /[eE]ntrances?(?![a-z])/, use: 'listener' },
  { name: /Fate$/, use: 'role state' },
  { name: /(?:^f|F)indings?(?![a-z])/, use: 'check result' },
  { name: /(?:^g|G)rant$/, use: 'verified token, issued token, token decision' },
  { name: /^Lines?$/, use: 'request, row' },
  { name: /(?:^p|P)roofs?(?![a-z])/, use: 'client authentication, credential' },
  {
    name: /^(?:[gG]iven|told|shown|written|found|lay|settle)$/,
    use: 'a noun, or a verb with its object',
  },
  { name: /^Told/, use: 'reported' },
  { name: /^TokenExchange/, use: 'token request' },
]

const exportedName =
  /^export (?:abstract |async )?(?:type|interface|class|const|let|function\*?|enum) (\w+)/gm

/** Forbidden names that a text exports. */
const forbiddenIn = (text: string, workspace: string) =>
  [...text.matchAll(exportedName)]
    .map(([, name = '']) => name)
    .filter((exported) =>
      forbiddenNames.some(
        ({ name, isAllowedIn }) => isAllowedIn !== workspace && name.test(exported),
      ),
    )

describe('exported names', () => {
  it('have the meaning of their OAuth terms', () => {
    const broken = products.flatMap((file) => {
      const workspace = workspaceOf(file)
      return forbiddenIn(read(file), workspace).map((name) => `${workspace} ${name}`)
    })
    assertOnly(broken, [], 'docs/glossary.md has another word for a name')
  })

  it('are detected in each kind of export', () => {
    const text = 'export type TokenGrant = 1\nexport async function told() {}\nconst Grant = 1\n'
    assert.deepEqual(forbiddenIn(`${text}export type Caller = 1`, 'packages/guard'), [
      'TokenGrant',
      'told',
    ])
    assert.deepEqual(forbiddenIn('export type Caller = 1', 'cli'), ['Caller'])
    assert.deepEqual(forbiddenIn('export const grantedRoles = bookmark', 'cli'), [])
  })
})

/** The reasons and codes that a text sends or logs. A text with spaces is a sentence, not a code. */
const codesIn = (text: string) =>
  [
    ...text.matchAll(/\b(?:code|reason)(?:\??:| =)\s*'([^'\s]+)'/g),
    ...text.matchAll(/\b(?:refuse|refusal|refusalsOf|CommandFailure)\(\s*(?:\d+,\s*)?'([^'\s]+)'/g),
  ].map(([, code = '']) => code)

describe('reasons and codes', () => {
  const isSnakeCase = (code: string) => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code)

  it('are snake_case on the wire and in logs', () => {
    const broken = products
      .flatMap((file) => codesIn(read(file)))
      .filter((code) => !isSnakeCase(code))
    assertOnly(broken, codesOfMicrosoftGraph, 'a code is not snake_case')
  })

  it('are detected in tables, in types and in calls', () => {
    const text =
      "{ code: 'A_B' } readonly reason: 'aB' code = 'ab' refuse('aC') reason: 'a sentence'"
    assert.deepEqual(codesIn(text), ['A_B', 'aB', 'ab', 'aC'])
  })
})

/** Messages of errors with one sentence. Messages with more sentences, and remedies, end with a full stop. */
const stoppedMessagesIn = (text: string) =>
  [...text.matchAll(/new \w*(?:Error|Failure)\(\s*(?:'[a-z_]+',\s*)?(['`])([^'`]*)\.\1/g)]
    .map(([, , message = '']) => message)
    .filter((message) => !/[.!?] [-A-Z"`$]|^\$\{what\} /.test(message))

describe('error messages', () => {
  // Those of the identity provider and its directory are sentences of its log.
  const files = products.filter((file) => /^(cli|packages\/(?!directory))\//.test(file))

  it('have no full stop if they are one sentence', () => {
    assert.deepEqual(
      files.flatMap((file) => stoppedMessagesIn(read(file))),
      [],
    )
  })

  it('are detected in errors and failures', () => {
    const text = "new TypeError('One.') new CommandFailure('failed', `Two.`) new Error('A. B.')"
    assert.deepEqual(stoppedMessagesIn(text), ['One', 'Two'])
  })
})
