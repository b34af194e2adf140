import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its private key, both PEM. */
export type Identity = { readonly certificate: string; readonly key: string }

/** The validity of a new authority. */
export const authorityYears = 2
const renewalDays = 30
/** One day in milliseconds. */
export const dayMs = 86_400_000

/**
 * The reason to replace an authority that expires soon; `undefined` if it is valid for longer.
 *
 * @throws {Error} when the certificate cannot be read.
 */
export function validityFault({ certificate }: Identity, now: Date): string | undefined {
  const remainingMs = new X509Certificate(certificate).validToDate.getTime() - now.getTime()
  return remainingMs < renewalDays * dayMs
    ? `it was valid for less than ${renewalDays} more days`
    : undefined
}

/** True if an earlier release created this authority, when authorities were valid longer and had no constraints. */
export function isOfEarlierRelease({ certificate }: Identity): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  return validToDate.getTime() - validFromDate.getTime() > (authorityYears * 366 + 1) * dayMs
}

/**
 * True if a server certificate is still usable: issued by this authority, for these names, already
 * valid, and not about to expire.
 */
export function isGoodFor(
  server: Identity,
  authority: Identity,
  names: readonly string[],
  now: Date,
): boolean {
  const certificate = new X509Certificate(server.certificate)
  const [, named = ''] = server.certificate.split(pemEnd)
  return (
    certificate.checkIssued(new X509Certificate(authority.certificate)) &&
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    certificate.checkPrivateKey(createPrivateKey(server.key)) &&
    names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
    ) &&
    // A clock that was wrong may have made it.
    certificate.validFromDate <= now &&
    // A server certificate of an earlier release has no second one, for the host names alone.
    names.every((name) => isIP(name) !== 0 || isFor(name, named)) &&
    certificate.validToDate.getTime() - now.getTime() > renewalDays * dayMs
  )
}

const pemEnd = '-----END CERTIFICATE-----\n'

const isFor = (name: string, named: string) =>
  named !== '' && new X509Certificate(named + pemEnd).checkHost(name) !== undefined
