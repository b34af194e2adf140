import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { commonName, extensions, makeCertificate, subjectOf } from './certificate.ts'
import { authorityYears, dayMs, type Identity } from './certificate-checks.ts'

const newKeyPair = () => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
const authorityName = 'Greeting local certificate authority'
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
  const { publicKey, privateKey } = await newKeyPair()
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + authorityYears)
  // A random part distinguishes the authorities of one machine.
  const name = commonName(`${authorityName} ${randomBytes(4).toString('hex')}`)
  const certificate = makeCertificate({
    subject: name,
    issuer: name,
    publicKey,
    signingKey: privateKey,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter,
    extensions: [
      extensions.authority,
      extensions.signsCertificates,
      extensions.forServers,
      extensions.nameConstraints([...new Set([...loopback, ...names])]),
      extensions.subjectKey(publicKey),
    ],
  })
  return { certificate: certificate.toString(), key: pemOfKey(privateKey) }
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
  const issuer = subjectOf(new X509Certificate(authority.certificate))
  const signingKey = createPrivateKey(authority.key)
  const { publicKey, privateKey } = await newKeyPair()
  const certify = (contained: readonly string[]) =>
    makeCertificate({
      subject: commonName('Greeting identity provider'),
      issuer,
      publicKey,
      signingKey,
      notBefore: new Date(now.getTime() - backdatedMs),
      notAfter: new Date(now.getTime() + serverDays * dayMs),
      extensions: [
        extensions.noAuthority,
        extensions.signsData,
        extensions.forServers,
        extensions.names(contained),
        extensions.subjectKey(publicKey),
        extensions.issuerKey(createPublicKey(signingKey)),
      ],
    }).toString()
  const hostNames = names.filter((name) => isIP(name) === 0)
  const isMixed = hostNames.length > 0 && hostNames.length < names.length
  const certificate = certify(names) + (isMixed ? certify(hostNames) : '')
  return { certificate, key: pemOfKey(privateKey) }
}

const pemOfKey = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/**
 * Names that always mean this machine, so an authority may sign for them. Without any entry of a
 * kind, names or addresses of that kind would be unconstrained.
 */
const loopback = ['localhost', '127.0.0.1', '::1']
