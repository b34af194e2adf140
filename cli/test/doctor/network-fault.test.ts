import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { networkFault } from '../../src/doctor/server-checks.ts'

const failed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('why'), { code }) })

describe('a fault of the network', () => {
  const rows: readonly (readonly [string, boolean, RegExp])[] = [
    ['ENOTFOUND', false, /its host name is unknown/],
    ['EAI_AGAIN', false, /its host name is unknown/],
    ['ECONNREFUSED', false, /no program listens on this port/],
    ['ECONNRESET', false, /was closed/],
    ['UND_ERR_CONNECT_TIMEOUT', false, /did not answer in time/],
    ['CERT_HAS_EXPIRED', true, /its certificate has expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true, /for another name/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', true, /not trusted on this machine/],
    ['SELF_SIGNED_CERT_IN_CHAIN', true, /not trusted on this machine/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true, /not trusted on this machine/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', true, /TLS handshake failed/],
    ['EWHATEVER', false, /connection failed \(EWHATEVER\)/],
  ]
  for (const [code, isTls, says] of rows) {
    it(`${code} is described in words`, () => {
      const fault = networkFault(failed(code))
      assert.equal(fault.isTls, isTls)
      assert.match(fault.detail, says)
      assert.match(fault.detail, new RegExp(`\\(${code}\\)$`))
    })
  }

  it('without a code is described too', () => {
    const unnamed = new TypeError('fetch failed', { cause: new Error('bad port') })
    assert.equal(networkFault(unnamed).detail, 'the connection failed (bad port)')
    const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    assert.match(networkFault(timeout).detail, /did not answer in time/)
  })
})
