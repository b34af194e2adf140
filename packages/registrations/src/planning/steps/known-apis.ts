import { callersOf } from '../../callers.ts'
import type { AppRole } from '../../directory/directory-state.ts'
import type { Located } from '../../directory/locate.ts'
import type { RegistrationsFile } from '../../registrations-file.ts'
import type { RoleName } from './change.ts'

type FileIndex = ReturnType<typeof indexOf>

/** The entries of a registrations file by their names. Names are unique within a list. */
function indexOf(file: RegistrationsFile) {
  const callers = callersOf(file)
  const apisByName = new Map(file.apis.map((entry) => [entry.displayName, entry]))
  const callersByName = new Map(callers.map((entry) => [entry.displayName, entry]))
  const consentsByClient = Map.groupBy(file.consents ?? [], ({ client }) => client)
  return {
    callers,
    api: (name: string) => apisByName.get(name),
    client: (name: string) => callersByName.get(name),
    consentsOf: (client: string) => consentsByClient.get(client) ?? [],
  }
}

const indexes = new WeakMap<RegistrationsFile, FileIndex>()

/** The index of a registrations file. It is built once, because a parsed file does not change. */
export function fileIndex(file: RegistrationsFile): FileIndex {
  const index = indexes.get(file) ?? indexOf(file)
  indexes.set(file, index)
  return index
}

export type KnownApi = ReturnType<typeof knownApi>

/** An API whose permissions clients can have, from the file or from the directory. */
export function knownApi(located: Located, roles: readonly AppRole[]) {
  const appId = located.application?.appId ?? located.servicePrincipal?.appId
  return {
    name: located.name,
    located,
    /** `undefined` for an API that is not registered yet. */
    appId,
    isInDirectory: appId !== undefined,
    /** The role with this value, if any. */
    role: (value: string): RoleName[] =>
      roles.filter((role) => role.value === value).map(({ id }) => ({ id, value })),
    /** The value in the claim `roles` of a token. */
    valueOf: (roleId: string) => roles.find(({ id }) => id === roleId)?.value ?? undefined,
    isEnabled: (roleId: string) => roles.some(({ id, isEnabled }) => id === roleId && isEnabled),
  }
}

export type KnownApis = ReturnType<typeof knownApis>

/** The APIs that a plan knows, by the values that refer to them. If several APIs have one value, the first is found. */
export function knownApis(all: readonly KnownApi[]) {
  const byKey = (keyOf: (api: KnownApi) => string | undefined) =>
    new Map(all.toReversed().map((api) => [keyOf(api), api]))
  const byName = byKey(({ name }) => name)
  const byAppId = byKey(({ appId }) => appId)
  const byServicePrincipal = byKey(({ located }) => located.servicePrincipal?.id)
  return {
    all,
    named: (name: string) => byName.get(name),
    withAppId: (appId: string) => byAppId.get(appId),
    ofServicePrincipal: (id: string) => byServicePrincipal.get(id),
  }
}
