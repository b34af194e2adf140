import { X509Certificate } from 'node:crypto'
import type { DirectoryPolicy } from './policy.ts'

/** A certificate authority in the `definition` of a list of trusted authorities. */
export type TrustedAuthority = {
  /** A GUID in lower case, unique in its list. */
  readonly id: string
  readonly isRootAuthority: boolean
  /** The X.509 certificate, DER in base64. */
  readonly certificate: string
  readonly issuer: string | null
  readonly issuerSubjectKeyIdentifier: string | null
}

/** The authorities of a policy of the kind `trustedAuthorities`. */
export const authoritiesIn = ({ definition }: Pick<DirectoryPolicy, 'definition'>) =>
  definition as unknown as readonly TrustedAuthority[]

const parse = (der: Uint8Array) => new X509Certificate(der)

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean => {
  try {
    return (
      !certificate.raw.equals(authority.raw) &&
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey)
    )
  } catch {
    // OpenSSL does not read every key that a certificate may hold.
    return false
  }
}

/**
 * True if a list of authorities has the complete chain of a certificate: its issuer, which issued
 * no other authority of the list, up to a root (entra E232).
 *
 * @param certificate DER
 */
export function isTrusted(
  certificate: Uint8Array,
  authorities: readonly Pick<TrustedAuthority, 'certificate' | 'isRootAuthority'>[],
): boolean {
  const known = authorities.map(({ certificate, isRootAuthority }) => {
    return { isRootAuthority, parsed: parse(Buffer.from(certificate, 'base64')) }
  })
  const issuerOf = (one: X509Certificate) => known.find(({ parsed }) => isIssuedBy(one, parsed))
  const first = issuerOf(parse(certificate))
  if (first === undefined || known.some(({ parsed }) => issuerOf(parsed) === first)) return false
  let authority: typeof first | undefined = first
  for (let left = known.length; authority && !authority.isRootAuthority && left > 0; left -= 1)
    authority = issuerOf(authority.parsed)
  return authority?.isRootAuthority ?? false
}
