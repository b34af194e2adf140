import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { TrustedProxies } from '@greeting/http-service'
import { sourceAddress } from '../../src/endpoints/source-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

const none = new TrustedProxies()
const proxies = new TrustedProxies(['10.0.0.1', '10.0.0.2', '172.16.0.0/12', '2001:db8:f::/48'])

const rows: [string, IncomingMessage | undefined, TrustedProxies, string][] = [
  ['the connection', from('192.0.2.7'), none, '192.0.2.7'],
  ['the connection, for IPv4 in an IPv6 address', from('::ffff:192.0.2.7'), none, '192.0.2.7'],
  [
    'the connection, when an untrusted peer forwards an address',
    from('192.0.2.7', '198.51.100.1'),
    proxies,
    '192.0.2.7',
  ],
  ['the connection, without trusted proxies', from('10.0.0.1', '198.51.100.1'), none, '10.0.0.1'],
  [
    'the address that a trusted proxy forwards',
    from('10.0.0.1', '198.51.100.1'),
    proxies,
    '198.51.100.1',
  ],
  [
    'the nearest address that is not a trusted proxy',
    from('10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2'),
    proxies,
    '198.51.100.1',
  ],
  [
    'the address without the port that the proxy appends',
    from('10.0.0.1', '198.51.100.1:49152'),
    proxies,
    '198.51.100.1',
  ],
  [
    'the IPv6 network, without brackets and port',
    from('10.0.0.1', '[2001:db8:1:2:3::4]:49152'),
    proxies,
    '2001:db8:1:2::/64',
  ],
  ['the /64 of an IPv6 connection', from('2001:db8:1:2:3:4:5:6'), none, '2001:db8:1:2::/64'],
  ['the /64 of an abbreviated IPv6 address', from('2001:db8::6'), none, '2001:db8:0:0::/64'],
  ['the /64, in any spelling', from('10.0.0.1', '2001:0DB8:1:2::9'), proxies, '2001:db8:1:2::/64'],
  ['the /64, without a zone', from('fe80::1%eth0'), none, 'fe80:0:0:0::/64'],
  [
    'the IPv4 address when it is in IPv6 in hexadecimal',
    from('10.0.0.1', '::ffff:c000:207'),
    proxies,
    '192.0.2.7',
  ],
  [
    'the nearest address outside the trusted networks',
    from('172.31.0.9', '203.0.113.9, 198.51.100.1, 172.16.3.4, 2001:db8:f:1::1'),
    proxies,
    '198.51.100.1',
  ],
  [
    'the connection, when a neighbor of the trusted network forwards an address',
    from('172.32.0.1', '198.51.100.1'),
    proxies,
    '172.32.0.1',
  ],
  ['the proxy, when it forwards no address', from('10.0.0.1', 'unknown'), proxies, '10.0.0.1'],
  [
    'the last proxy, when it forwards no valid address',
    from('10.0.0.1', '198.51.100.1, x:1, 10.0.0.2:80'),
    proxies,
    '10.0.0.2',
  ],
  ['the proxy, when it forwards an empty value', from('10.0.0.1'), proxies, '10.0.0.1'],
  ['empty, without a socket', undefined, proxies, ''],
]

describe('the source of a request (AS29, AS34) is', () => {
  for (const [what, incoming, trusted, expected] of rows) {
    it(what, () => assert.equal(sourceAddress(incoming, trusted), expected))
  }
})
