import {
  type ComparedName,
  type ComparedValues,
  comparedProperties,
  comparedValue,
  valuesOf,
} from '../../compared-properties.ts'
import type { Located } from '../../directory/locate.ts'
import type { RegistrationStep } from '../../explaining/explanation.ts'
import { type ApiEntry, applicationIdPlaceholder } from '../../registrations-file.ts'
import type { Change, PropertyChange } from './change.ts'

/** The members of an entry that determine the registration of its application. */
type Registration = ComparedValues & {
  readonly identifierUris?: readonly string[]
  /** Of a blueprint. */
  readonly sponsors?: readonly string[]
}

/** Steps 1 and 3: plans the application, its names, and its service principal in this tenant. */
export function planRegistration(
  step: RegistrationStep,
  located: Located,
  wanted: Registration,
): Change[] {
  const { name, application, servicePrincipal } = located
  const about = { step, application: name } as const
  const planned: Change[] = []
  if (application === undefined) {
    const details = {
      ...valuesOf('application', wanted),
      ...(wanted.sponsors && { sponsors: wanted.sponsors }),
    }
    planned.push({ kind: 'createApplication', ...about, destructive: false, ...details })
  }
  const changes = applicationChanges(located, wanted)
  if (changes.length > 0)
    planned.push({
      kind: 'updateApplication',
      ...about,
      destructive: changes.some(takesAway),
      changes,
    })
  if (servicePrincipal === undefined) {
    const details = valuesOf('servicePrincipal', wanted)
    planned.push({ kind: 'createServicePrincipal', ...about, destructive: false, ...details })
    return planned
  }
  // The file does not describe whether the service principal is enabled, so the plan leaves it.
  const principalChanges = comparedChanges('servicePrincipal', servicePrincipal, wanted)
  if (principalChanges.length > 0)
    planned.push({
      kind: 'updateServicePrincipal',
      ...about,
      destructive: principalChanges.some(takesAway),
      changes: principalChanges,
    })
  return planned
}

function applicationChanges(
  { name, application }: Located,
  { identifierUris, ...wanted }: Registration,
): PropertyChange[] {
  const present = application?.identifierUris ?? []
  const uris = identifierUris?.map((uri) =>
    application ? uri.replaceAll(applicationIdPlaceholder, application.appId) : uri,
  )
  return [
    ...(sameSet(present, uris ?? present)
      ? []
      : [{ property: 'identifierUris', from: present, to: uris ?? present }]),
    ...(application === undefined
      ? []
      : [
          ...changed('displayName', application.displayName, name),
          ...comparedChanges('application', application, wanted),
        ]),
  ]
}

/** The identifier URIs of an API: those of its entry, or by default one with its application ID. */
export function wantedIdentifierUris(entry: ApiEntry, { application }: Located): readonly string[] {
  const present = application?.identifierUris ?? []
  return (
    entry.identifierUris ?? (present.length > 0 ? present : [`api://${applicationIdPlaceholder}`])
  )
}

const comparedChanges = (
  of: 'application' | 'servicePrincipal',
  object: object,
  wanted: ComparedValues,
): PropertyChange[] =>
  Object.entries(valuesOf(of, wanted)).flatMap(([name, to]) =>
    changed(name, comparedValue(name as ComparedName, object), to),
  )

function changed(property: string, from: unknown, to: unknown): PropertyChange[] {
  return to === undefined || from === to ? [] : [{ property, from, to }]
}

const sameSet = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))

/** Whether a change removes an identifier URI, or locks clients out in another way. */
function takesAway({ property, from, to }: PropertyChange): boolean {
  if (Array.isArray(from) && Array.isArray(to)) return from.some((uri) => !to.includes(uri))
  return comparedProperties[property as ComparedName]?.takesAway(to) ?? false
}
