import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Issued, issuedCertificate } from '../../../../test/fixtures/issued-certificate.ts'
import { isTrusted } from '../../src/model/trusted-authorities.ts'

const root = await issuedCertificate('Root')
const intermediate = await issuedCertificate('Intermediate', root)
const issuing = await issuedCertificate('Issuing', intermediate)
const otherRoot = await issuedCertificate('Root')
const selfSigned = await issuedCertificate('Job')
const [ofRoot, ofIntermediate, ofIssuing, ofOther] = await Promise.all(
  [root, intermediate, issuing, otherRoot].map((one) => issuedCertificate('Job', one, false)),
)

const listed = (...authorities: Issued[]) =>
  authorities.map((one) => ({
    certificate: one.base64,
    isRootAuthority: one === root || one === otherRoot,
  }))

describe('a list of trusted authorities', () => {
  const rows: readonly (readonly [string, Issued | undefined, Issued[], boolean])[] = [
    ['accepts a certificate from its root', ofRoot, [root], true],
    [
      'accepts a certificate from an authority below its root',
      ofIntermediate,
      [intermediate, root],
      true,
    ],
    ['accepts a chain of three authorities', ofIssuing, [root, issuing, intermediate], true],
    [
      'refuses a certificate from a root that has an authority below it',
      ofRoot,
      [root, intermediate],
      false,
    ],
    ['refuses a chain without its root', ofIntermediate, [intermediate], false],
    ['refuses a chain with a missing link', ofIssuing, [root, issuing], false],
    [
      'refuses a certificate whose issuer is not in the list',
      ofIssuing,
      [root, intermediate],
      false,
    ],
    ['refuses a certificate from another authority with the same name', ofOther, [root], false],
    [
      'accepts a certificate from the right one of two authorities with the same name',
      ofOther,
      [root, otherRoot],
      true,
    ],
    ['refuses a self-signed certificate', selfSigned, [root], false],
    ['refuses its own root as a certificate', root, [root], false],
    ['refuses every certificate when it is empty', ofRoot, [], false],
  ]
  for (const [what, certificate, authorities, expected] of rows)
    it(`${what} (entra E232)`, () => {
      assert.equal(
        isTrusted(certificate?.der ?? new Uint8Array(), listed(...authorities)),
        expected,
      )
    })
})
