import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { sourceAddress } from '../../src/http/source-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

const proxies = new Set(['10.0.0.1', '10.0.0.2'])

const rows: [string, IncomingMessage | undefined, ReadonlySet<string>, string][] = [
  ['the connection', from('192.0.2.7'), new Set(), '192.0.2.7'],
  ['the connection, IPv4 in IPv6', from('::ffff:192.0.2.7'), new Set(), '192.0.2.7'],
  [
    'the connection, whatever a stranger forwards',
    from('192.0.2.7', '198.51.100.1'),
    proxies,
    '192.0.2.7',
  ],
  [
    'the connection, when nobody is trusted',
    from('10.0.0.1', '198.51.100.1'),
    new Set(),
    '10.0.0.1',
  ],
  ['what a proxy of ours forwards', from('10.0.0.1', '198.51.100.1'), proxies, '198.51.100.1'],
  [
    'the nearest that is no proxy of ours',
    from('10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2'),
    proxies,
    '198.51.100.1',
  ],
  ['the proxy, when it forwards nobody', from('10.0.0.1'), proxies, '10.0.0.1'],
  ['nowhere, without a socket', undefined, proxies, ''],
]

describe('the source of a request (AS29) is', () => {
  for (const [what, incoming, trusted, expected] of rows) {
    it(what, () => assert.equal(sourceAddress(incoming, trusted), expected))
  }
})
