/** The URLs of an identity provider that an API must know. */
export type ApiPlaces = {
  readonly tenantId: string
  readonly authUrl: string
}

/** An API in a test: the settings with which it accepts the tokens of this identity provider. */
export class EntraApi<Role extends string = string> {
  readonly name: string
  readonly applicationId: string
  readonly identifierUri: string
  /** The values of its app roles. */
  readonly roles: readonly Role[]
  /** The version of its tokens, which its registration selects. */
  readonly tokenVersion: '1.0' | '2.0'
  readonly #places: ApiPlaces

  constructor(
    registration: {
      readonly name: string
      readonly applicationId: string
      readonly identifierUri: string
      readonly roles: readonly Role[]
      readonly tokenVersion: '1.0' | '2.0'
    },
    places: ApiPlaces,
  ) {
    this.name = registration.name
    this.applicationId = registration.applicationId
    this.identifierUri = registration.identifierUri
    this.roles = registration.roles
    this.tokenVersion = registration.tokenVersion
    this.#places = places
  }

  /** The scope for a token request. */
  get scope(): string {
    return `${this.identifierUri}/.default`
  }

  /** The options of `entra()` in `@greeting/guard`, which accept the test keys. */
  get guardOptions() {
    const { tenantId, authUrl } = this.#places
    const tokenVersions: ('1.0' | '2.0')[] = [this.tokenVersion]
    return {
      tenantId,
      apiApplicationId: this.applicationId,
      authUrl,
      issuerUrl: authUrl,
      roles: this.roles,
      tokenVersions,
      testKeys: 'accepted',
    } as const
  }

  /** What another library needs: the values for the version of its tokens. */
  get verification() {
    const { tenantId, authUrl } = this.#places
    const tenantUrl = `${authUrl}/${tenantId}`
    return this.tokenVersion === '2.0'
      ? {
          issuer: `${tenantUrl}/v2.0`,
          audience: this.applicationId,
          keySetUrl: `${tenantUrl}/discovery/v2.0/keys`,
          discoveryUrl: `${tenantUrl}/v2.0/.well-known/openid-configuration`,
        }
      : {
          issuer: `${tenantUrl}/`,
          audience: this.identifierUri,
          keySetUrl: `${tenantUrl}/discovery/keys`,
          discoveryUrl: `${tenantUrl}/.well-known/openid-configuration`,
        }
  }

  /** The environment of an API that is a process, in the names of the greeting API. */
  get environment(): Readonly<Record<string, string>> {
    const { tenantId, authUrl } = this.#places
    return {
      AUTH_URL: authUrl,
      ISSUER_URL: authUrl,
      TENANT_ID: tenantId,
      API_APPLICATION_ID: this.applicationId,
      TOKEN_VERSIONS: this.tokenVersion,
      TEST_KEYS: 'accepted',
    }
  }
}
