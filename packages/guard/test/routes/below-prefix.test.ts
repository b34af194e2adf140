import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { mayBeBelow } from '../../src/routes/below-prefix.ts'
import { harmlessTargets, hostileTargets } from '../adapters/hostile-paths.ts'

describe('mayBeBelow with the prefix /private', () => {
  for (const target of hostileTargets) {
    it(`accepts ${JSON.stringify(target)} (RS20)`, () => {
      assert.equal(mayBeBelow('/private', target), true)
    })
  }
  for (const target of harmlessTargets) {
    it(`rejects ${target}`, () => {
      assert.equal(mayBeBelow('/private', target), false)
    })
  }
})

const rows: readonly [prefix: string, target: string, isBelow: boolean][] = [
  ['/api/v1', '/api/v1', true],
  ['/api/v1', '/api/v1/', true],
  ['/api/v1', '/api/v1/hi', true],
  ['/api/v1', '/API/V1/hi', true],
  ['/api/v1', '/api//v1/hi', true],
  ['/api/v1', '/api/./v1/hi', true],
  ['/api/v1', '/api/x/../v1/hi', true],
  ['/api/v1', '/api%2fv1/hi', true],
  ['/api/v1', '/api;x/v1;y/hi', true],
  ['/api/v1', '/api/v1x', false],
  ['/api/v1', '/api/v', false],
  ['/api/v1', '/api/v2/../x', false],
  ['/api/v1', '/v1/../api', false],
  ['/api/v1', '/x/api/v1/hi', false],
  ['/api/v1', '', false],
  ['/api/v1', '*', false],
  // An empty prefix guards everything.
  ['', '/', true],
  ['', '*', true],
  ['', '/x/y', true],
  ['', '', true],
  // A prefix that its author wrote in another spelling.
  ['/API', '/api/hi', true],
  ['/%61pi', '/api/hi', true],
  ['/über', '/%C3%BCber/x', true],
  ['/über', '/%C3%9CBER/x', true],
  ['/über', '/u%CC%88ber/x', true],
  ['/straße', '/STRASSE/x', true],
  ['/kelvin', '/%E2%84%AAelvin/x', true],
  ['/v1.0/me', '/v1.0/me/x', true],
  ['/v1.0/me', '/v1/me/x', false],
  // A parameter is one segment, and any in a path that readers divide in several ways.
  ['/:tenant/api', '/a/api/x', true],
  ['/:tenant/api', '/a/API', true],
  ['/:tenant/api', '/api/x', false],
  ['/:tenant/api', '/a/b/api', false],
  ['/:tenant/api', '/a', false],
  ['/:tenant/api', '/a%2fb/api/x', true],
  ['/:tenant/api', '//a/api/x', true],
  ['/:tenant', '/a', true],
  ['/:tenant', '/', false],
  ['/files-:id/a', '/files-1/a/x', true],
  ['/.git', '/git~1/config', true],
  ['/api/administration', '/api/admini~2/x', true],
  ['/api/administration', '/api/x~1/x', false],
  ['/:a{[a-z/]+}/v1', '/x/y/v1/z', true],
  ['/:a{[a-z/]+}/v1', '/x/y/z', false],
  ['/{*path}/v1', '/x/y/v1/z', true],
]

describe('mayBeBelow', () => {
  for (const [prefix, target, isBelow] of rows) {
    it(`${isBelow ? 'accepts' : 'rejects'} ${JSON.stringify(target)} below ${JSON.stringify(prefix)}`, () => {
      assert.equal(mayBeBelow(prefix, target), isBelow)
    })
  }

  it('decides in linear time for hostile text', () => {
    const parts = ['%25', '%', '/', '..', '. ', '%2e', ';', 'a', '%%36%31', '\\', '%e2%84%aa', ' ']
    for (const part of parts) {
      const target = `/private${part.repeat(16_384 / part.length)}x`
      const ms = processorMs(() => {
        mayBeBelow('/private/x', target)
        mayBeBelow('/:a/x', `/${target}/`)
      })
      assert.ok(ms < 1000, part)
    }
  })
})
