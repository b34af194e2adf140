import { type ApiEntry, applicationIdPlaceholder } from '../../registrations-file.ts'
import type { Located } from '../directory/locate.ts'
import type { Change, PropertyChange, RegistrationStep } from './change.ts'

/** The members of an entry that determine the registration of its application. */
type Registration = Partial<
  Pick<ApiEntry, 'identifierUris' | 'requestedAccessTokenVersion' | 'appRoleAssignmentRequired'>
> & {
  /** Of a blueprint. */
  readonly sponsors?: readonly string[]
}

/** Steps 1 and 3: the application, its names, and its service principal in this tenant. */
export function planRegistration(
  step: RegistrationStep,
  located: Located,
  wanted: Registration,
): Change[] {
  const { name, application, servicePrincipal } = located
  const about = { step, application: name } as const
  const { requestedAccessTokenVersion: version, appRoleAssignmentRequired: required } = wanted
  const planned: Change[] = []
  if (application === undefined) {
    const details = {
      ...(version !== undefined && { requestedAccessTokenVersion: version }),
      ...(wanted.sponsors && { sponsors: wanted.sponsors }),
    }
    planned.push({ kind: 'createApplication', ...about, destructive: false, ...details })
  }
  const changes = applicationChanges(located, wanted)
  if (changes.length > 0) {
    planned.push({
      kind: 'updateApplication',
      ...about,
      destructive: changes.some(takesAway),
      changes,
    })
  }
  if (servicePrincipal === undefined) {
    const details = required === undefined ? {} : { appRoleAssignmentRequired: required }
    planned.push({ kind: 'createServicePrincipal', ...about, destructive: false, ...details })
    return planned
  }
  // The file does not describe whether the service principal is enabled, so the plan leaves it.
  const principalChanges = changed(
    'appRoleAssignmentRequired',
    servicePrincipal.appRoleAssignmentRequired ?? false,
    required,
  )
  if (principalChanges.length > 0) {
    planned.push({
      kind: 'updateServicePrincipal',
      ...about,
      destructive: principalChanges.some(takesAway),
      changes: principalChanges,
    })
  }
  return planned
}

function applicationChanges(
  { name, application }: Located,
  { identifierUris, requestedAccessTokenVersion }: Registration,
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
          ...changed(
            'requestedAccessTokenVersion',
            application.api?.requestedAccessTokenVersion ?? 1,
            requestedAccessTokenVersion,
          ),
        ]),
  ]
}

/** The identifier URIs of an API: those of its entry, by default the one of its application ID. */
export function wantedIdentifierUris(entry: ApiEntry, { application }: Located): readonly string[] {
  const present = application?.identifierUris ?? []
  return (
    entry.identifierUris ?? (present.length > 0 ? present : [`api://${applicationIdPlaceholder}`])
  )
}

function changed(property: string, from: unknown, to: unknown): PropertyChange[] {
  return to === undefined || from === to ? [] : [{ property, from, to }]
}

const sameSet = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))

// A removed name, another token version or a new assignment requirement can lock clients out.
const isTaken: Readonly<Record<string, (change: PropertyChange) => boolean>> = {
  identifierUris: ({ from, to }) =>
    Array.isArray(from) && Array.isArray(to) && from.some((uri) => !to.includes(uri)),
  requestedAccessTokenVersion: () => true,
  appRoleAssignmentRequired: ({ to }) => to === true,
}

const takesAway = (change: PropertyChange) => isTaken[change.property]?.(change) ?? false
