import type { CommittedChange } from '../model/directory-change.ts'
import { inertWeight } from '../model/properties/inert-properties.ts'

type WeighedEntry = { readonly object?: CommittedChange; readonly ids?: readonly string[] }

/** The weight of an object in the cache: one, plus one for each part of an application and index ID. */
export function weightOf({ object, ids = [] }: WeighedEntry): number {
  if (object === undefined || object.value === null) return 1 + ids.length
  if (object.kind === 'servicePrincipal') {
    const { delegatedConsents, inertProperties, keyCredentials, ownerIds, passwordCredentials } =
      object.value
    return (
      1 +
      passwordCredentials.length +
      keyCredentials.length +
      delegatedConsents.length +
      ownerIds.length +
      inertWeight(inertProperties)
    )
  }
  if (object.kind === 'tenant') {
    const { domains, inertProperties, policies } = object.value
    return 1 + domains.length + policies.length + inertWeight({ ...inertProperties, policies })
  }
  if (object.kind !== 'application') return 1
  const { value } = object
  return (
    1 +
    value.appRoles.length +
    value.passwordCredentials.length +
    value.keyCredentials.length +
    value.federatedIdentityCredentials.length +
    value.requiredResourceAccess.length +
    value.identifierUris.length +
    value.ownerIds.length +
    value.extensionProperties.length +
    inertWeight(value.inertProperties)
  )
}
