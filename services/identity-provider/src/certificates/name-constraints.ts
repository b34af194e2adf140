import { isIP } from 'node:net'
// The libraries below do not load without it.
import 'reflect-metadata'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509'
import { Extension, X509Certificate } from '@peculiar/x509'

/**
 * Names that lead to this machine everywhere: an authority may always sign for them. With none of a
 * kind, names or addresses of that kind would not be constrained at all.
 */
const loopback = ['localhost', '127.0.0.1', '::1']

/**
 * The critical extension by which an authority is believed for these names and for loopback only.
 *
 * @see RFC 5280 §4.2.1.10
 */
export function nameConstraints(names: readonly string[]): Extension {
  const permittedSubtrees = new GeneralSubtrees(
    [...new Set([...loopback, ...names])].map((name) => new GeneralSubtree({ base: nameOf(name) })),
  )
  const value = AsnConvert.serialize(new NameConstraints({ permittedSubtrees }))
  return new Extension(id_ce_nameConstraints, true, value)
}

/**
 * Whether an authority has name constraints, and each of these names is one of them.
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

/** The constraint for one name; for a wildcard, that of the domain below which it stands. */
function nameOf(name: string): GeneralName {
  const addressBits = { 0: undefined, 4: 32, 6: 128 }[isIP(name)]
  if (addressBits !== undefined) return new GeneralName({ iPAddress: `${name}/${addressBits}` })
  return new GeneralName({ dNSName: name.toLowerCase().replace(/^\*\./, '') })
}

const textOf = (name: GeneralName) => Buffer.from(AsnConvert.serialize(name)).toString('hex')
