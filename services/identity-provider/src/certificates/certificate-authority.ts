import { createPrivateKey, KeyObject, randomBytes, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
// The library below does not load without it.
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { constrainsTo, nameConstraints } from './name-constraints.ts'

/** A certificate and its private key, both PEM. */
export type Identity = { readonly certificate: string; readonly key: string }

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const authorityName = 'CN=Greeting local certificate authority'
const authorityYears = 2
/** Browsers and operating systems refuse server certificates that live for years. */
const serverDays = 90
const renewalDays = 30
/** Clients whose clocks run behind still find the certificate valid. */
const backdatedMs = 3_600_000
const dayMs = 86_400_000

/**
 * Makes a certificate authority that may sign certificates of servers with these names or loopback,
 * and no other authority.
 *
 * @see RFC 5280 §4.2.1.9 (basic constraints), §4.2.1.3 (key usage), §4.2.1.10 (name constraints)
 */
export async function createAuthority(names: readonly string[], now: Date): Promise<Identity> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + authorityYears)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    // Two authorities on one machine must not be taken for each other.
    name: `${authorityName} ${randomBytes(4).toString('hex')}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      nameConstraints(names),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: pemOf(certificate), key: pemOfKey(keys.privateKey) }
}

/**
 * Makes a certificate for a server with these names, and a key of its own.
 *
 * @param names host names and IP addresses
 */
export async function issueServerCertificate(
  authority: Identity,
  names: readonly string[],
  now: Date,
): Promise<Identity> {
  const issuer = new PeculiarCertificate(authority.certificate)
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const pkcs8 = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' })
  const signingKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      names.map((value) => ({
        type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
        value,
      })),
    ),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: 'CN=Greeting identity provider',
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + serverDays * dayMs),
    extensions,
  })
  return { certificate: pemOf(certificate), key: pemOfKey(keys.privateKey) }
}

/**
 * Why an authority has to be replaced; undefined while it can be used.
 *
 * @throws {Error} when the certificate cannot be read.
 */
export function authorityFault(
  { certificate }: Identity,
  names: readonly string[],
  now: Date,
): string | undefined {
  const remainingMs = new X509Certificate(certificate).validToDate.getTime() - now.getTime()
  if (remainingMs < renewalDays * dayMs) return `it had less than ${renewalDays} days left`
  if (!constrainsTo(certificate, names)) return 'it was not made for the names of this server alone'
  return undefined
}

/** Whether a server certificate still does: of this authority, for these names, not near its end. */
export function isGoodFor(
  server: Identity,
  authority: Identity,
  names: readonly string[],
  now: Date,
): boolean {
  const certificate = new X509Certificate(server.certificate)
  return (
    certificate.checkIssued(new X509Certificate(authority.certificate)) &&
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    certificate.checkPrivateKey(createPrivateKey(server.key)) &&
    names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
    ) &&
    certificate.validToDate.getTime() - now.getTime() > renewalDays * dayMs
  )
}

// Positive, as RFC 5280 §4.1.2.2 asks: the first bit is clear and the number is not 0.
const newSerialNumber = () => `01${randomBytes(15).toString('hex')}`

const pemOf = (certificate: PeculiarCertificate) => `${certificate.toString('pem')}\n`

const pemOfKey = (key: CryptoKey) =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
