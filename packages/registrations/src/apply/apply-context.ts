import type { Located } from '../directory/locate.ts'
import type { Change, ChangeOf } from '../planning/steps/change.ts'
import { type Graph, type GraphAnswer, type GraphRequest, writesApplications } from './graph.ts'

/** A new client secret. The directory shows its value only once. */
export type NewSecret = {
  /** Name of the client in the file. */
  readonly client: string
  readonly clientId: string
  /** The APIs of which the client requests permissions. */
  readonly apiApplicationIds: readonly string[]
  readonly secret: string
  readonly keyId: string
  readonly endDateTime: Date
  readonly secretText: string
}

/** The name of a client in the file, and the name of one of its secrets. */
export type SecretName = Pick<NewSecret, 'client' | 'secret'>

/** Receives new secrets and keeps them. */
export type SecretSink = {
  /**
   * Checks that the new secrets can be stored, before anything is changed.
   *
   * @throws {CommandFailure} when they cannot.
   */
  readonly prepare: (secrets: readonly SecretName[]) => Promise<void>
  /** Stores one secret; it resolves when the secret is on disk. */
  readonly keep: (secret: NewSecret) => Promise<void>
}

/** The directory objects of one application, as far as they exist. */
type Handle = {
  readonly objectId: string
  readonly appId: string
  servicePrincipalId: string | undefined
}

export type ApplyContextOptions = {
  readonly changes: readonly Change[]
  readonly graph: Graph
  readonly located: readonly Located[]
  readonly secrets: SecretSink
  readonly now: () => Date
  /** Chooses the unique name of a new application, which must be secret before; default random. */
  readonly uniqueName?: ((displayName: string) => string) | undefined
  /** Called for each new application, when the secrets of its request are stored. */
  readonly onRegistered?: ((applicationId: string) => Promise<void>) | undefined
}

/** A change that the request for a new application can include. */
type InitialChange = ChangeOf<'setPermissions'> | ChangeOf<'createSecret'>

const isInitial = (change: Change): change is InitialChange =>
  change.kind === 'setPermissions' || change.kind === 'createSecret'

const apisOf = (change: InitialChange): readonly string[] =>
  change.kind === 'createSecret' ? change.apis : change.permissions.map(({ api }) => api)

/**
 * The state of one run of `apply`: the IDs that the directory chose, the ETags of the objects to
 * change, and whether a new object may not be visible everywhere yet.
 */
export class ApplyContext {
  readonly secrets: SecretSink
  readonly now: () => Date
  readonly uniqueName: (displayName: string) => string
  /** The changes that the directory has acknowledged. */
  readonly done = new Set<Change>()
  readonly #onRegistered: ApplyContextOptions['onRegistered']
  readonly #graph: Graph
  readonly #handles = new Map<string, Handle>()
  readonly #etags = new Map<string, string>()
  /** The permissions and the new secrets of clients, by name. */
  readonly #initialChanges: ReadonlyMap<string, readonly InitialChange[]>
  #hasNews = false

  constructor(options: ApplyContextOptions) {
    const { changes, graph, located, secrets, now, onRegistered } = options
    this.#graph = graph
    this.#onRegistered = onRegistered
    this.secrets = secrets
    this.now = now
    this.uniqueName = options.uniqueName ?? (() => crypto.randomUUID())
    this.#initialChanges = Map.groupBy(changes.filter(isInitial), ({ application }) => application)
    for (const { name, application, servicePrincipal } of located) {
      const appId = application?.appId ?? servicePrincipal?.appId
      if (appId === undefined) continue
      const servicePrincipalId = servicePrincipal?.id
      this.#handles.set(name, { objectId: application?.id ?? '', appId, servicePrincipalId })
      for (const object of [application, servicePrincipal])
        if (object?.['@odata.etag']) this.#etags.set(object.id, object['@odata.etag'])
    }
  }

  /** An application by its name in the file. An earlier change has created it if necessary. */
  handle(name: string): Handle {
    const handle = this.#handles.get(name)
    if (handle === undefined) throw new TypeError(`No change has made "${name}"`)
    return handle
  }

  register(name: string, handle: Handle): void {
    this.#handles.set(name, handle)
    this.#hasNews = true
  }

  async recordNew(name: string): Promise<void> {
    await this.#onRegistered?.(this.handle(name).appId)
  }

  /**
   * The changes that the request for a new application includes, so that they need no request of their
   * own: those whose APIs all exist.
   */
  initialChanges(name: string): readonly InitialChange[] {
    const changes = this.#initialChanges.get(name) ?? []
    return changes.filter((change) => apisOf(change).every((api) => this.#handles.has(api)))
  }

  /** The IDs of all known applications, by their names in the file. */
  applicationIds(): Map<string, string> {
    return new Map([...this.#handles].map(([name, { appId }]) => [name, appId]))
  }

  servicePrincipalId(name: string): string {
    const { servicePrincipalId } = this.handle(name)
    if (servicePrincipalId === undefined)
      throw new TypeError(`No change has made a service principal of "${name}"`)
    return servicePrincipalId
  }

  send(request: GraphRequest): Promise<GraphAnswer> {
    return this.#graph.send({ expectsLag: this.#hasNews, ...request })
  }

  /** Changes an object, unless it was changed since it was read. */
  async patch(path: string, objectId: string, body: object): Promise<void> {
    const request = {
      method: 'PATCH',
      path: `${path}/${objectId}`,
      body,
      repeatable: true,
    } as const
    const ifMatch = this.#etags.get(objectId)
    const { etag } = await this.send({ ...request, role: writesApplications, ifMatch })
    // A new part of an object, such as a role to assign, may not be visible everywhere yet.
    this.#hasNews = true
    this.touched(objectId, etag)
  }

  /** Records that this run changed an object: its earlier ETag is no longer required. */
  touched(objectId: string, etag?: string): void {
    if (etag === undefined) this.#etags.delete(objectId)
    else this.#etags.set(objectId, etag)
  }
}
