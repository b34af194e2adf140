import type { KnownApi } from './known-api.ts'

/** The APIs that a plan knows, by the values that refer to them. Of several with one value, the first is found. */
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
