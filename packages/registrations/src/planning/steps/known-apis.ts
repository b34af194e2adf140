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

/** An API whose permissions clients can have, from the file or from the directory. */
export class KnownApi {
  readonly name: string
  readonly located: Located
  readonly #roles: readonly AppRole[]

  constructor(located: Located, roles: readonly AppRole[]) {
    this.name = located.name
    this.located = located
    this.#roles = roles
  }

  /** `undefined` for an API that is not registered yet. */
  get appId(): string | undefined {
    return this.located.application?.appId ?? this.located.servicePrincipal?.appId
  }

  get isInDirectory(): boolean {
    return this.appId !== undefined
  }

  /** The role with this value, if any. */
  role(value: string): RoleName[] {
    return this.#roles.filter((role) => role.value === value).map(({ id }) => ({ id, value }))
  }

  /** The value in the claim `roles` of a token. */
  valueOf(roleId: string): string | undefined {
    return this.#roles.find(({ id }) => id === roleId)?.value ?? undefined
  }

  isEnabled(roleId: string): boolean {
    return this.#roles.some(({ id, isEnabled }) => id === roleId && isEnabled)
  }
}

/** The APIs that a plan knows, by the values that refer to them. If several APIs have one value, the first is found. */
export class KnownApis {
  readonly all: readonly KnownApi[]
  readonly #byName = new Map<string, KnownApi>()
  readonly #byAppId = new Map<string, KnownApi>()
  readonly #byServicePrincipal = new Map<string, KnownApi>()

  constructor(all: readonly KnownApi[]) {
    this.all = all
    for (const api of all.toReversed()) {
      this.#byName.set(api.name, api)
      if (api.appId !== undefined) this.#byAppId.set(api.appId, api)
      const { servicePrincipal } = api.located
      if (servicePrincipal !== undefined) this.#byServicePrincipal.set(servicePrincipal.id, api)
    }
  }

  named = (name: string) => this.#byName.get(name)
  withAppId = (appId: string) => this.#byAppId.get(appId)
  ofServicePrincipal = (id: string) => this.#byServicePrincipal.get(id)
}
