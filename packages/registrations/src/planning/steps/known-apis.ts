import { type CallerEntry, callersOf } from '../../callers.ts'
import type { AppRole } from '../../directory/directory-state.ts'
import type { Located } from '../../directory/locate.ts'
import type { ApiEntry, RegistrationsFile } from '../../registrations-file.ts'
import type { RoleName } from './change.ts'

type Consent = NonNullable<RegistrationsFile['consents']>[number]

/** The entries of a registrations file by their names. Names are unique within a list. */
class FileIndex {
  readonly #apis: ReadonlyMap<string, ApiEntry>
  readonly callers: readonly CallerEntry[]
  readonly #callers: ReadonlyMap<string, CallerEntry>
  readonly #consentsByClient: ReadonlyMap<string, readonly Consent[]>

  constructor(file: RegistrationsFile) {
    const { apis, consents = [] } = file
    this.callers = callersOf(file)
    this.#apis = new Map(apis.map((entry) => [entry.displayName, entry]))
    this.#callers = new Map(this.callers.map((entry) => [entry.displayName, entry]))
    this.#consentsByClient = Map.groupBy(consents, ({ client }) => client)
  }

  api(name: string): ApiEntry | undefined {
    return this.#apis.get(name)
  }

  client(name: string): CallerEntry | undefined {
    return this.#callers.get(name)
  }

  consentsOf(client: string): readonly Consent[] {
    return this.#consentsByClient.get(client) ?? []
  }
}

const indexes = new WeakMap<RegistrationsFile, FileIndex>()

/** The index of a registrations file. It is built once, because a parsed file does not change. */
export function fileIndex(file: RegistrationsFile): FileIndex {
  const index = indexes.get(file) ?? new FileIndex(file)
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

  named(name: string): KnownApi | undefined {
    return this.#byName.get(name)
  }

  withAppId(appId: string): KnownApi | undefined {
    return this.#byAppId.get(appId)
  }

  ofServicePrincipal(id: string): KnownApi | undefined {
    return this.#byServicePrincipal.get(id)
  }
}
