import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pathSegments } from '../src/path-segments.ts'

describe('the segments of a path', () => {
  const read: readonly [target: string, segments: readonly string[]][] = [
    ['/', ['']],
    ['/orders', ['orders']],
    ['/orders/', ['orders', '']],
    ['/orders/7?page=2&q=%2e%2e/', ['orders', '7']],
    ['/orders?', ['orders']],
    ['/caf%C3%A9', ['café']],
    ['/a%20b', ['a b']],
    ['/100%25', ['100%']],
    ["/~a.b-c_d!$&'()*+,=:@", ["~a.b-c_d!$&'()*+,=:@"]],
    ['/...', ['...']],
    ['/%40me', ['@me']],
  ]
  for (const [target, segments] of read) {
    it(`of ${target} are ${JSON.stringify(segments)}`, () =>
      assert.deepEqual(pathSegments(target), segments))
  }

  const ambiguous = [
    ['', 'nothing'],
    ['*', 'the form of OPTIONS'],
    ['orders', 'no slash'],
    ['http://api.example/orders', 'the absolute form'],
    ['//orders', 'an empty segment'],
    ['/orders//7', 'an empty segment'],
    ['/orders//', 'an empty segment'],
    ['/./orders', 'a dot segment'],
    ['/orders/..', 'a dot segment'],
    ['/orders/../admin', 'a dot segment'],
    ['/orders/%2e%2e/admin', 'an encoded dot segment'],
    ['/orders/.%2E/admin', 'an encoded dot segment'],
    ['/orders/%252e%252e/admin', 'an escape of an escape'],
    ['/orders%2f7', 'an encoded slash'],
    ['/orders%2F7', 'an encoded slash'],
    ['/orders\\7', 'a backslash'],
    ['/orders%5c7', 'an encoded backslash'],
    ['/orders;v=1/7', 'a parameter'],
    ['/orders%3b7', 'an encoded semicolon'],
    ['/%61dmin', 'an encoded letter'],
    ['/%5Fadmin', 'an encoded underscore'],
    ['a control character', 'a control'],
    ['control characters', 'controls'],
    ['/admin%7f', 'a control'],
    ['/admin%3fx', 'an encoded question mark'],
    ['/admin%23x', 'an encoded hash'],
    ['/admin#x', 'a fragment'],
    ['/admin?x#y', 'a fragment in the query'],
    ['a control character in the query', 'a control in the query'],
    ['/a b', 'a space'],
    ['/café', 'a character that must be escaped'],
    ['/a|b', 'a character that must be escaped'],
    ['/%', 'an escape without digits'],
    ['/%2', 'an escape with one digit'],
    ['/%zz', 'an escape without hexadecimal digits'],
    ['/%c0%ae%c0%ae', 'invalid UTF-8'],
    ['/%ff', 'invalid UTF-8'],
    [`/${'a'.repeat(8192)}`, 'more than 8192 characters'],
  ] as const
  for (const [target, why] of ambiguous) {
    it(`are undefined for ${why}: ${target.slice(0, 40)}`, () =>
      assert.equal(pathSegments(target), undefined))
  }
})
