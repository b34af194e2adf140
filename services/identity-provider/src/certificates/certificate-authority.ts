import { createPrivateKey, KeyObject, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
// The library below does not load without it.
import 'reflect-metadata'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { authorityYears, dayMs, type Identity } from './certificate-checks.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const authorityName = 'CN=Greeting local certificate authority'
/** Browsers and operating systems refuse server certificates with a validity of several years. */
const serverDays = 90
/** Earlier start, for clients with late clocks. */
const backdatedMs = 3_600_000

/**
 * Creates a certificate authority. It may sign server certificates for these names and for
 * loopback, and no other authority.
 *
 * @see RFC 5280 section 4.2.1.9 (basic constraints), section 4.2.1.3 (key usage), section 4.2.1.10
 * (name constraints)
 */
export async function createAuthority(names: readonly string[], now: Date): Promise<Identity> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + authorityYears)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    // A random part distinguishes the authorities of one machine.
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
 * Creates a server certificate for these names, with its own key. A second certificate with the same key
 * has the host names only, if there are addresses too.
 *
 * BoringSSL does not support name constraints for addresses. It refuses a certificate that contains an
 * address when the authority has such constraints, but not one with host names alone.
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
  const certify = (contained: readonly string[]) =>
    certificateFor(contained, { issuer, publicKey: keys.publicKey, signingKey, now })
  const hostNames = names.filter((name) => isIP(name) === 0)
  const isMixed = hostNames.length > 0 && hostNames.length < names.length
  const certificate = (await certify(names)) + (isMixed ? await certify(hostNames) : '')
  return { certificate, key: pemOfKey(keys.privateKey) }
}

async function certificateFor(
  names: readonly string[],
  {
    issuer,
    publicKey,
    signingKey,
    now,
  }: {
    readonly issuer: PeculiarCertificate
    readonly publicKey: CryptoKey
    readonly signingKey: CryptoKey
    readonly now: Date
  },
): Promise<string> {
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
    await SubjectKeyIdentifierExtension.create(publicKey),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ]
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: 'CN=Greeting identity provider',
    issuer: issuer.subject,
    publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + serverDays * dayMs),
    extensions,
  })
  return pemOf(certificate)
}

// RFC 5280 section 4.1.2.2 requires a positive number: clear the first bit and exclude 0.
const newSerialNumber = () => `01${randomBytes(15).toString('hex')}`

const pemOf = (certificate: PeculiarCertificate) => `${certificate.toString('pem')}\n`

const pemOfKey = (key: CryptoKey) =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()

// The libraries below do not load without it.

/**
 * Names that always mean this machine, so an authority may sign for them. Without any entry of a
 * kind, names or addresses of that kind would be unconstrained.
 */
const loopback = ['localhost', '127.0.0.1', '::1']

/**
 * The critical extension that limits an authority to these names and loopback.
 *
 * @see RFC 5280 section 4.2.1.10
 */
function nameConstraints(names: readonly string[]): Extension {
  const permittedSubtrees = new GeneralSubtrees(
    [...new Set([...loopback, ...names])].map((name) => new GeneralSubtree({ base: nameOf(name) })),
  )
  const value = AsnConvert.serialize(new NameConstraints({ permittedSubtrees }))
  return new Extension(id_ce_nameConstraints, true, value)
}

/**
 * Whether the name constraints of an authority include each of these names.
 *
 * @param certificate PEM
 */
export function constrainsTo(certificate: string, names: readonly string[]): boolean {
  const extension = new X509Certificate(certificate).getExtension(id_ce_nameConstraints)
  if (!extension?.critical) return false
  const { permittedSubtrees = new GeneralSubtrees() } = AsnConvert.parse(
    extension.value,
    NameConstraints,
  )
  const permitted = new Set([...permittedSubtrees].map(({ base }) => textOf(base)))
  return names.every((name) => permitted.has(textOf(nameOf(name))))
}

/** The constraint for one name. For a wildcard, that of its parent domain. */
function nameOf(name: string): GeneralName {
  const addressBits = { 0: undefined, 4: 32, 6: 128 }[isIP(name)]
  if (addressBits !== undefined) return new GeneralName({ iPAddress: `${name}/${addressBits}` })
  return new GeneralName({ dNSName: name.toLowerCase().replace(/^\*\./, '') })
}

const textOf = (name: GeneralName) => Buffer.from(AsnConvert.serialize(name)).toString('hex')
