import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fetchWithToken } from '../src/call/fetch-with-token.ts'
import { type NetworkFaultName, networkFault } from '../src/network-fault.ts'
import { safeCause } from '../src/redaction.ts'
import { tokenSourceIn } from './fakes/token-source-in.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'

const failed = (message: string, code?: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) })

const openSsl =
  '40AD8A29E67F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/openssl/ssl/record/methods/tlsany_meth.c:77:\n'

type Row = readonly [
  error: Error,
  url: string,
  name: NetworkFaultName,
  detail: RegExp,
  remedy: RegExp,
]
const rows: readonly Row[] = [
  [
    failed('getaddrinfo ENOTFOUND login.example', 'ENOTFOUND'),
    'https://login.example',
    'host_unknown',
    /^its host name is unknown \(ENOTFOUND\)$/,
    /name servers/,
  ],
  [
    failed('getaddrinfo EAI_AGAIN login.example', 'EAI_AGAIN'),
    'https://login.example',
    'host_unknown',
    /^its host name is unknown/,
    /name servers/,
  ],
  [
    failed('connect ECONNREFUSED 127.0.0.1:4000', 'ECONNREFUSED'),
    'http://localhost:4000',
    'connection_refused',
    /^no program listens on this port \(ECONNREFUSED\)$/,
    /greeting start/,
  ],
  [
    failed('connect ECONNREFUSED 10.0.0.1:443', 'ECONNREFUSED'),
    'https://login.example',
    'connection_refused',
    /^no program listens/,
    /check the port/,
  ],
  [
    failed('connect ECONNREFUSED 127.0.0.1:3128', 'ECONNREFUSED'),
    'https://login.example',
    'connection_refused',
    /^127\.0\.0\.1:3128: no program listens/,
    /HTTPS_PROXY.*NO_PROXY/,
  ],
  [
    failed('getaddrinfo ENOTFOUND proxy.example', 'ENOTFOUND'),
    'https://login.example',
    'host_unknown',
    /^proxy\.example: its host name/,
    /HTTPS_PROXY/,
  ],
  [
    failed('Proxy response (407) !== 200 when HTTP Tunneling', 'UND_ERR_ABORTED'),
    'https://login.example',
    'proxy_refused',
    /^the proxy refuses/,
    /HTTPS_PROXY.*NO_PROXY/,
  ],
  [
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    'https://login.example',
    'timeout',
    /^it did not answer in time$/,
    /firewalls/,
  ],
  [
    failed('Connect Timeout Error', 'UND_ERR_CONNECT_TIMEOUT'),
    'https://login.example',
    'timeout',
    /^it did not answer in time$/,
    /firewalls/,
  ],
  [
    failed('connect EHOSTUNREACH 10.0.0.1:443', 'EHOSTUNREACH'),
    'https://login.example',
    'network_unreachable',
    /^this machine has no route/,
    /network of this machine/,
  ],
  [failed('bad port'), 'http://127.0.0.1:6000', 'port_blocked', /^fetch refuses/, /another port/],
  [
    failed(openSsl, 'ERR_SSL_WRONG_VERSION_NUMBER'),
    'https://127.0.0.1:4000',
    'tls_not_spoken',
    /^the port does not speak TLS \(ERR_SSL_WRONG_VERSION_NUMBER\)$/,
    /port of HTTPS/,
  ],
  [
    failed(`write EPROTO ${openSsl}`, 'EPROTO'),
    'https://127.0.0.1:4000',
    'tls_not_spoken',
    /^the port does not speak TLS \(EPROTO\)$/,
    /port of HTTPS/,
  ],
  [
    failed('tlsv13 alert certificate required', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    'https://login.example',
    'tls_refused',
    /^it ended the TLS handshake/,
    /client certificate/,
  ],
  [
    failed('Client network socket disconnected before secure TLS', 'ECONNRESET'),
    'https://login.example',
    'tls_failed',
    /^the TLS handshake failed \(ECONNRESET\)$/,
    /scheme and the port/,
  ],
  [
    failed('other side closed', 'UND_ERR_SOCKET'),
    'http://127.0.0.1:4443',
    'http_at_tls_port',
    /the port probably expects HTTPS/,
    /write https/,
  ],
  [
    failed('other side closed', 'UND_ERR_SOCKET'),
    'https://login.example',
    'connection_closed',
    /^the connection was closed/,
    /firewall/,
  ],
  [
    new TypeError('terminated', { cause: failed('other side closed', 'UND_ERR_SOCKET') }),
    'http://127.0.0.1:3000',
    'answer_cut',
    /within the answer/,
    /proxies between/,
  ],
  [
    failed('Parse Error: Expected HTTP/', 'HPE_INVALID_CONSTANT'),
    'http://127.0.0.1:22',
    'http_not_spoken',
    /^the port does not speak HTTP/,
    /port in the URL/,
  ],
  ...[
    'CERT_HAS_EXPIRED: certificate has expired',
    'CERT_NOT_YET_VALID: certificate is not yet valid',
  ].map(
    (message): Row => [
      failed(message),
      'https://login.example',
      'certificate_outdated',
      /expired, or is not valid yet/,
      /clock of this machine/,
    ],
  ),
  [
    failed("Hostname/IP does not match certificate's altnames: Host: a"),
    'https://login.example',
    'certificate_of_other_name',
    /for another name/,
    /Use a name/,
  ],
  ...[
    'self-signed certificate in certificate chain',
    'unable to verify the first certificate',
    'unsupported name constraint type',
    'invalid peer certificate: UnknownIssuer',
  ].map(
    (message): Row => [
      failed(message),
      'https://login.example',
      'certificate_untrusted',
      /is not trusted by this process/,
      /NODE_EXTRA_CA_CERTS.*greeting trust.*Bun needs/,
    ],
  ),
]

describe('a failed connection', () => {
  for (const [error, url, name, detail, remedy] of rows)
    it(`to ${url}: ${String((error.cause ?? error) as Error).slice(0, 60)} is ${name}`, () => {
      const fault = networkFault(error, new URL(url))
      assert.equal(fault.name, name)
      assert.match(fault.detail, detail)
      assert.match(fault.remedy ?? '', remedy)
    })

  it('is not retried if the next attempt would fail as well', async () => {
    const environment = new VirtualRuntime(() => {
      throw failed(openSsl, 'ERR_SSL_WRONG_VERSION_NUMBER')
    })
    await assert.rejects(tokenSourceIn(environment).token(), { code: 'authority_unreachable' })
    const tokens = { token: async () => 'a.b.c', drop: () => undefined }
    const { runtime } = environment
    const call = fetchWithToken({ baseUrl: 'https://api.example', tokens, runtime })
    await assert.rejects(call('/'), { code: 'api_unreachable' })
    assert.equal(environment.sent.length, 2)
  })

  it('keeps the message of an unknown cause on one line', () => {
    const fault = networkFault(failed('redirected\nto a URL'))
    assert.deepEqual(fault, { name: 'other', detail: 'redirected to a URL', remedy: undefined })
  })

  it('leaves no OpenSSL line in the copy that becomes a cause', () => {
    const copy = safeCause(failed(openSsl), [])
    assert.equal((copy.cause as Error).message, 'TLS: wrong version number')
  })

  it('is described even if its causes form a cycle', () => {
    const error = new Error('strange')
    error.cause = error
    assert.equal(networkFault(error).name, 'other')
  })
})
