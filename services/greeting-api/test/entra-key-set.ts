import type { JWK } from 'jose'
import { Signer } from '../../../test/fixtures/signing-identity-provider.ts'

/** A certificate in the form of real Entra's `x5c`; the guard takes the key from `n` and `e`. */
const certificate =
  'MIIC/jCCAeagAwIBAgIJAM52mWWK+FEeMA0GCSqGSIb3DQEBCwUAMC0xKzApBgNVBAMTImFjY291bnRzLmFjY2Vzc2NvbnRyb2wud2luZG93cy5uZXQ='

/** A key as real Entra publishes it: with certificate, thumbprint and issuer, without `alg`. */
const entraMember = ({ jwk: { kty, n, e, kid } }: Signer, issuer: string): JWK =>
  ({
    kty,
    use: 'sig',
    kid,
    x5t: kid,
    n,
    e,
    x5c: [certificate],
    cloud_instance_name: 'microsoftonline.com',
    issuer,
  }) as JWK

const ecMember: JWK & { issuer: string } = {
  kty: 'EC',
  use: 'sig',
  kid: 'ec-1',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
}

/**
 * A key set like that of real Entra: ten keys, two of them not RSA, one for consumer accounts, with
 * the genuine issuer template and without algorithms.
 */
export async function makeEntraKeySet() {
  const template = 'https://login.microsoftonline.com/{tenantid}/v2.0'
  const consumers = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'
  const kids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'consumer']
  const signers = await Promise.all(
    kids.map((kid) => Signer.make(`${kid}-L1ZhKdGd7VQz7lKWqQnJ_w`, 'https://sts.windows.net')),
  )
  const members = signers.map((signer) =>
    entraMember(signer, signer.kid.startsWith('consumer') ? consumers : template),
  )
  return {
    signers: signers.slice(0, -1),
    consumer: signers.at(-1) as Signer,
    keys: [...members, ecMember, { ...ecMember, kid: 'ec-2' }],
  }
}
