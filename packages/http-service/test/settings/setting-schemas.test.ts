import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { z } from 'zod'
import {
  hostName,
  keepAliveSeconds,
  logLevel,
  originUrl,
  reusePort,
  wholeNumber,
} from '../../src/settings/setting-schemas.ts'

const accepted: [name: string, schema: z.ZodType, text: string | undefined, value: unknown][] = [
  ['an origin', originUrl, 'https://login.example', 'https://login.example'],
  ['an origin with a path', originUrl, 'http://127.0.0.1:80/a', 'http://127.0.0.1:80/a'],
  ['a host', hostName, '::1', '::1'],
  ['a log level', logLevel, 'silent', 'silent'],
  ['the lowest number', wholeNumber(0, 60), '0', 0],
  ['the highest number', wholeNumber(0, 60), '60', 60],
  ['no keep-alive time', keepAliveSeconds, undefined, 75],
  ['the longest keep-alive time', keepAliveSeconds, '3600', 3600],
  ['no shared port', reusePort, undefined, false],
  ['a shared port', reusePort, 'on', true],
]

const refused: [schema: z.ZodType, texts: readonly string[], expected: string][] = [
  [
    originUrl,
    [
      'login.example',
      'https://login.example/',
      'https://a@login.example',
      'https://a/?b',
      'ftp://a',
    ],
    'expected an http or https URL without a slash at its end',
  ],
  [hostName, [''], 'expected a host name or an address'],
  [logLevel, ['loud'], 'expected one of trace, debug, info, warn, error, fatal, silent'],
  [
    wholeNumber(0, 60),
    ['61', '-1', '1.5', '0x1', '1e1', ' 1', '9999999999'],
    'expected a whole number from 0 to 60',
  ],
  [keepAliveSeconds, ['0', '3601'], 'expected a whole number from 1 to 3600'],
  [reusePort, ['yes', '1', ''], 'expected on or off'],
]

describe('the setting schemas', () => {
  for (const [name, schema, text, value] of accepted) {
    it(`accept ${name}`, () => assert.equal(schema.parse(text), value))
  }
  for (const [schema, texts, expected] of refused) {
    for (const text of texts) {
      it(`refuse ${JSON.stringify(text)}: ${expected}`, () => {
        assert.equal(schema.safeParse(text).error?.issues[0]?.message, expected)
      })
    }
  }
})
