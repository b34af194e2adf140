// Folder: The form of certificates, and those for HTTPS on this machine.

import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AsnType,
  BitString,
  Constructed,
  Boolean as DerBoolean,
  Set as DerSet,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  UTCTime,
  Utf8String,
} from 'asn1js'

/** The content of a certificate, and the key that signs it. */
export type CertificateContent = {
  /** Made by `commonName`, or the subject of another certificate. */
  readonly subject: AsnType
  readonly issuer: AsnType
  readonly publicKey: KeyObject
  readonly signingKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions: readonly AsnType[]
}

const sequence = (...value: AsnType[]) => new Sequence({ value })
const oid = (value: string) => new ObjectIdentifier({ value })
const ofContext = (tagNumber: number) => ({ idBlock: { tagClass: 3, tagNumber } })
const tagged = (tag: number, value: AsnType[]) => new Constructed({ ...ofContext(tag), value })
const taggedBytes = (tag: number, valueHex: Uint8Array) =>
  new Primitive({ ...ofContext(tag), valueHex })
const bytesOf = (value: AsnType) => Buffer.from(value.toBER())
const childrenOf = (value: AsnType | undefined): readonly AsnType[] =>
  value instanceof Constructed ? value.valueBlock.value : []

// RFC 5758 section 3.2, RFC 4055 section 5
const algorithms: Readonly<Record<string, AsnType>> = {
  ec: sequence(oid('1.2.840.10045.4.3.2')),
  rsa: sequence(oid('1.2.840.113549.1.1.11'), new Null()),
}

/**
 * Creates a certificate, signed with SHA-256.
 *
 * @throws {TypeError} when the signing key is neither of RSA nor of an elliptic curve
 * @see RFC 5280 section 4.1
 */
export function makeCertificate(content: CertificateContent): X509Certificate {
  const { subject, issuer, publicKey, signingKey, notBefore, notAfter, extensions } = content
  const algorithm = algorithms[signingKey.asymmetricKeyType ?? '']
  if (algorithm === undefined) throw new TypeError('a certificate needs a key of RSA or of a curve')
  const signed = sequence(
    tagged(0, [new Integer({ value: 2 })]),
    // A positive number: section 4.1.2.2 requires it.
    new Integer({ valueHex: Buffer.concat([Uint8Array.of(1), randomBytes(15)]) }),
    algorithm,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    informationOf(publicKey),
    tagged(3, [sequence(...extensions)]),
  )
  const valueHex = sign('sha256', bytesOf(signed), signingKey)
  return new X509Certificate(bytesOf(sequence(signed, algorithm, new BitString({ valueHex }))))
}

// Section 4.1.2.5 has a form for each of the two.
const time = (valueDate: Date) =>
  new (valueDate.getUTCFullYear() < 2050 ? UTCTime : GeneralizedTime)({ valueDate })

const informationOf = (key: KeyObject) =>
  fromBER(key.export({ type: 'spki', format: 'der' })).result

/** Creates a name that has only this common name. */
export const commonName = (value: string): AsnType =>
  sequence(new DerSet({ value: [sequence(oid('2.5.4.3'), new Utf8String({ value }))] }))

const idOf = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

const truth = new DerBoolean({ value: true })
const bits = (bits: number, unusedBits: number) =>
  new BitString({ valueHex: Uint8Array.of(bits), unusedBits })

const extension = (name: keyof typeof idOf, value: AsnType, isCritical = false): AsnType =>
  sequence(
    oid(idOf[name]),
    ...(isCritical ? [truth] : []),
    new OctetString({ valueHex: bytesOf(value) }),
  )

/** The 160 bits that RFC 5280 section 4.2.1.2 derives from the key. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, key] = childrenOf(informationOf(publicKey))
  if (!(key instanceof BitString)) throw new TypeError('a public key has its bits')
  return createHash('sha1').update(key.valueBlock.valueHexView).digest()
}

/** The extensions of RFC 5280 section 4.2.1 that our certificates contain. */
export const extensions = {
  /** An authority that signs no other authority. */
  authority: extension('basicConstraints', sequence(truth, new Integer({ value: 0 })), true),
  noAuthority: extension('basicConstraints', sequence(), true),
  signsCertificates: extension('keyUsage', bits(0b0000_0110, 1), true),
  signsData: extension('keyUsage', bits(0b1000_0000, 7), true),
  forServers: extension('extendedKeyUsage', sequence(oid('1.3.6.1.5.5.7.3.1'))),
  subjectKey: (key: KeyObject): AsnType =>
    extension('subjectKeyIdentifier', new OctetString({ valueHex: keyIdentifier(key) })),
  issuerKey: (key: KeyObject): AsnType =>
    extension('authorityKeyIdentifier', sequence(taggedBytes(0, keyIdentifier(key)))),
  names: (names: readonly string[]): AsnType =>
    extension('subjectAltName', sequence(...names.map((name) => nameOf(name, addressBytes(name))))),
  /** The names that an authority may sign for. */
  nameConstraints: (names: readonly string[]): AsnType => {
    const subtrees = names.map((name) => sequence(permittedName(name)))
    return extension('nameConstraints', sequence(tagged(0, subtrees)), true)
  },
} as const

const nameOf = (name: string, address: Buffer | undefined): AsnType =>
  address ? taggedBytes(7, address) : taggedBytes(2, Buffer.from(name))

/** The constraint for one name. For a wildcard, that of its parent domain. */
function permittedName(name: string): AsnType {
  const address = addressBytes(name)
  const mask = Buffer.alloc(address?.length ?? 0, 0xff)
  return nameOf(name.toLowerCase().replace(/^\*\./, ''), address && Buffer.concat([address, mask]))
}

/** The bytes of an address; undefined for a host name. */
function addressBytes(name: string): Buffer | undefined {
  const version = isIP(name)
  if (version === 0) return undefined
  if (version === 4) return Buffer.from(name.split('.').map(Number))
  // Such as `[2001:db8::1]`: without a part in decimals.
  const { hostname } = new URL(`http://[${name}]`)
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')))
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** The fields of what a certificate signs. */
const fieldsOf = ({ raw }: X509Certificate) => childrenOf(childrenOf(fromBER(raw).result)[0])

export function subjectOf(certificate: X509Certificate): AsnType {
  const subject = fieldsOf(certificate)[5]
  if (subject === undefined) throw new TypeError('a certificate of version 1 is no authority')
  return subject
}

/** True if the critical name constraints of an authority include each of these names. */
export function constrainsTo(certificate: X509Certificate, names: readonly string[]): boolean {
  const last = fieldsOf(certificate).at(-1)
  const constraints = childrenOf(childrenOf(last)[0])
    .map(childrenOf)
    .find(([id]) => id instanceof ObjectIdentifier && id.getValue() === idOf.nameConstraints)
  const [, isCritical, value] = constraints ?? []
  if (!(isCritical instanceof DerBoolean && isCritical.getValue())) return false
  if (!(value instanceof OctetString)) return false
  const [trees] = childrenOf(fromBER(value.getValue()).result)
  const isPermitted = trees?.idBlock.tagNumber === 0
  const permitted = childrenOf(isPermitted ? trees : undefined).map((tree) => childrenOf(tree)[0])
  return names.every((name) => permitted.some((one) => one?.isEqual(permittedName(name))))
}
