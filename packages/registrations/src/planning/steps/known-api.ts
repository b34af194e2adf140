import type { AppRole } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import type { RoleName } from './change.ts'

/** An API that clients can have permissions of, from the file or from the directory. */
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
