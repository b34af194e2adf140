import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pathSegments } from '../src/path-segments.ts'
import { parseRules, RulesFileError } from '../src/rules-file.ts'

const text = (...rules: readonly string[]) => `{ "rules": [\n${rules.join(',\n')}\n] }`

function find(file: string, request: string): unknown {
  const [method = '', target = ''] = request.split(' ')
  const match = parseRules('rules.json', file).set.find(method, pathSegments(target) ?? [])
  if (match === 'ambiguous') return match
  return match.rule === undefined ? match.allowed.join() : match.rule.requires
}

describe('the rules', () => {
  const file = text(
    '{ "path": "/health", "public": true }',
    '{ "path": "/orders/{id}", "methods": ["GET"], "role": "Read" }',
    '{ "path": "/me", "anyCaller": true }',
    '{ "path": "/list/", "role": "List" }',
    '{ "prefix": "/orders", "methods": ["POST", "PATCH"], "role": "Write" }',
    '{ "prefix": "/caf%C3%A9", "role": "Tea" }',
  )
  const rows: readonly [request: string, expected: unknown][] = [
    ['GET /health', 'nothing'],
    ['DELETE /health', 'nothing'],
    ['GET /health/', ''],
    ['GET /health/x', ''],
    ['GET /orders/7', { role: 'Read' }],
    ['HEAD /orders/7', { role: 'Read' }],
    ['POST /orders/7', { role: 'Write' }],
    ['POST /orders', { role: 'Write' }],
    ['PATCH /orders/7/lines/1', { role: 'Write' }],
    ['DELETE /orders/7', 'GET,POST,PATCH'],
    ['GET /orders', 'POST,PATCH'],
    ['GET /orders/', 'POST,PATCH'],
    ['POST /ordersx', ''],
    ['POST /Orders', ''],
    ['GET /me', 'any_caller'],
    ['GET /list/', { role: 'List' }],
    ['GET /list', ''],
    ['GET /caf%c3%a9/x', { role: 'Tea' }],
    ['GET /', ''],
  ]
  for (const [request, expected] of rows) {
    it(`decide ${request}: ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(find(file, request), expected))
  }

  const wide = text(
    '{ "path": "/admin", "role": "Admin" }',
    '{ "path": "/users/{id}/keys", "methods": ["GET"], "role": "Keys" }',
    '{ "prefix": "/", "anyCaller": true }',
  )
  const others: readonly [request: string, expected: unknown][] = [
    ['GET /admin', { role: 'Admin' }],
    ['GET /ADMIN', 'ambiguous'],
    ['GET /admin/', 'ambiguous'],
    ['GET /users/7/Keys', 'ambiguous'],
    ['POST /users/7/Keys', 'any_caller'],
    ['GET /users/A/other', 'any_caller'],
    ['GET /administrators', 'any_caller'],
    ['GET /', 'any_caller'],
  ]
  for (const [request, expected] of others) {
    it(`never apply a later rule to ${request} if a server may match an earlier one: ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(find(wide, request), expected))
  }

  for (const empty of ['', ' \n', '\uFEFF', '{}', '{ "rules": [] }', '// nothing yet\n{}']) {
    it(`are empty in the file ${JSON.stringify(empty)}`, () =>
      assert.deepEqual(parseRules('rules.json', empty).set.rules, []))
  }

  for (const bytes of [
    Buffer.from('\uFEFF{}', 'utf16le'),
    Buffer.from('\uFEFF{}', 'utf16le').swap16(),
    Buffer.from('{}', 'utf16le'),
  ])
    it(`name the encoding if the file is UTF-16: ${bytes.toString('hex')}`, () =>
      assert.throws(
        () => parseRules('rules.json', bytes.toString('utf8')),
        /it is UTF-16, not UTF-8/,
      ))

  it('may have comments and trailing commas, may name headers, and list each role once', () => {
    const rules = parseRules(
      'rules.json',
      '{ /* names */ "headers": { "roles": "X-Roles" }, "rules": [{ "prefix": "/", "role": "A" }, { "path": "/a", "role": "A" },], }',
    )
    assert.deepEqual(rules.roles, ['A'])
    assert.deepEqual(rules.headers, {
      applicationId: 'X-Caller-Application-Id',
      tenantId: 'X-Caller-Tenant-Id',
      objectId: 'X-Caller-Object-Id',
      roles: 'X-Roles',
    })
  })
})

describe('an error in the rules file is reported with its line', () => {
  const path = 'must be a path such as /orders/{id}, as a client sends it, without a query'
  const rows: readonly [rule: string, fault: RegExp][] = [
    ['{ "path": "/a" }', /^line 3: rules\[1\] must have one of role, anyCaller and public$/],
    ['{ "path": "/a", "role": "A", "public": true }', /must have one of role/],
    ['{ "role": "A" }', /must have either path or prefix$/],
    ['{ "path": "/a", "prefix": "/a", "role": "A" }', /must have either path or prefix$/],
    ['{ "path": "/a", "public": false }', /rules\[1\]\.public must be true, or absent$/],
    ['{ "path": "orders", "role": "A" }', new RegExp(`path ${path}$`)],
    ['{ "path": "/a/../b", "role": "A" }', /must be a path/],
    ['{ "path": "/a//b", "role": "A" }', /must be a path/],
    ['{ "path": "/%61", "role": "A" }', /must be a path/],
    ['{ "path": "/a?b=1", "role": "A" }', /must be a path/],
    ['{ "path": "/{a}{b}", "role": "A" }', /must be a path/],
    ['{ "path": "/{a-b}", "role": "A" }', /must be a path/],
    ['{ "path": "/*", "role": 1 }', /rules\[1\]\.role/],
    ['{ "path": 1, "role": "A" }', /must be a path/],
    ['{ "prefix": "/a/", "role": "A" }', /must not end with a slash/],
    ['{ "path": "/a", "role": "A, B" }', /must be a role/],
    ['{ "path": "/a", "role": "" }', /must be a role/],
    ['{ "path": "/a", "role": "A", "methods": [] }', /must be methods in upper case/],
    ['{ "path": "/a", "role": "A", "methods": ["get"] }', /methods\[0\] must be methods/],
    ['{ "path": "/a", "role": "A", "methods": ["HEAD"] }', /GET includes HEAD/],
    ['{ "path": "/a", "role": "A", "methods": "GET" }', /must be methods/],
    ['{ "path": "/a", "role": "A", "open": true }', /^line 3: rules\[1\]\.open is unknown$/],
    ['{ "path": "/a", "role": "A", "role": "B" }', /^line 3: rules\[1\].role is repeated$/],
    ['{ "path": "/a", "role": "A" ', /^line \d: (?!\w*Error)/],
    ['["/a"]', /rules\[1\]/],
  ]
  for (const [rule, fault] of rows) {
    it(rule, () => {
      const file = text('{ "path": "/b", "role": "B" }', rule)
      assert.throws(
        () => parseRules('rules.json', file),
        (error) =>
          error instanceof RulesFileError &&
          `${error.name} ${error.code}` === 'RulesFileError rules_file_invalid' &&
          error.message.startsWith('rules.json is no valid file of rules: line ') &&
          error.faults.some((one) => fault.test(one)),
      )
    })
  }

  const files: readonly [what: string, file: string, fault: RegExp][] = [
    ['a value that is not an object', '[]', /^line 1: the file/],
    ['an unknown member', '{\n "rule": [] }', /^line 2: rule is unknown$/],
    ['a standard HTTP header', '{ "headers": { "roles": "Authorization" } }', /begins with X-/],
    ['a header with an underscore', '{ "headers": { "roles": "X_Roles" } }', /begins with X-/],
    ['two equal headers', '{ "headers": { "roles": "x-caller-tenant-id" } }', /four different/],
    ['too much text', ' '.repeat(1_048_577), /more than 1 MiB/],
    ['too many rules', text(...Array(1001).fill('{"path":"/","role":"A"}')), /at most 1000 rules/],
  ]
  for (const [what, file, fault] of files) {
    it(what, () =>
      assert.throws(
        () => parseRules('rules.json', file),
        (error) => error instanceof RulesFileError && error.faults.some((one) => fault.test(one)),
      ),
    )
  }

  it('not for the longest permitted file', () =>
    assert.deepEqual(parseRules('rules.json', ' '.repeat(1_048_576)).roles, []))

  it('for at most 20 errors', () => {
    const file = text(...Array(30).fill('{}'))
    assert.throws(
      () => parseRules('rules.json', file),
      (error) => error instanceof RulesFileError && error.faults.length === 20,
    )
  })
})
