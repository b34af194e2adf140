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
 * Names that always mean this machine, so an authority may sign for them. Without any entry of a
 * kind, names or addresses of that kind would be unconstrained.
 */
const loopback = ['localhost', '127.0.0.1', '::1']

/**
 * The critical extension that limits an authority to these names and loopback.
 *
 * @see RFC 5280 section 4.2.1.10
 */
export function nameConstraints(names: readonly string[]): Extension {
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
