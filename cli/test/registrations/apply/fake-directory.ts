import { randomUUID } from 'node:crypto'

export type Json = Record<string, unknown>
type Role = { id: string; value: string; isEnabled: boolean; allowedMemberTypes: string[] }

/** A refusal in the form of Microsoft Graph. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const notFound = (id: string) =>
  new Refusal(
    404,
    'Request_ResourceNotFound',
    `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`,
  )
const bad = (message: string, code = 'Request_BadRequest') => new Refusal(400, code, message)

/**
 * The objects of Microsoft Graph, with the behaviour that its documents describe. A new object can be
 * late: it is not found for the first `lag` reads.
 */
export class FakeDirectory {
  readonly applications = new Map<string, Json>()
  readonly servicePrincipals = new Map<string, Json>()
  readonly assignments = new Map<string, Json>()
  /** The number of reads that do not find a new object. */
  lag = 0
  now: () => Date = () => new Date()
  readonly #secrets = new Map<string, unknown>()
  readonly #denials = new Map<string, number>()

  #add(objects: Map<string, Json>, object: Json): Json {
    objects.set(String(object.id), object)
    this.#denials.set(String(object.id), this.lag)
    return object
  }

  /** Whether this read finds an object. */
  #isSeen(id: string): boolean {
    const left = this.#denials.get(id) ?? 0
    this.#denials.set(id, left - 1)
    return left <= 0
  }

  list(objects: Map<string, Json>): Json[] {
    return [...objects.values()].filter(({ id }) => this.#isSeen(String(id)))
  }

  get(objects: Map<string, Json>, id: string): Json {
    const object = objects.get(id)
    if (object === undefined || !this.#isSeen(id)) throw notFound(id)
    return object
  }

  createApplication({ passwordCredentials = [], ...body }: Json): Json {
    const others = [...this.applications.values()]
    if (body.uniqueName !== undefined && others.some((one) => one.uniqueName === body.uniqueName))
      throw bad('Another object with the same value for property uniqueName already exists.')
    const appId = randomUUID()
    const made = (passwordCredentials as Json[]).map((one) => this.#newSecret(appId, one))
    const application = this.#add(this.applications, {
      id: randomUUID(),
      appId,
      createdDateTime: this.now().toISOString(),
      identifierUris: [],
      api: { requestedAccessTokenVersion: null },
      appRoles: [],
      requiredResourceAccess: [],
      passwordCredentials: made.map(({ secretText, ...one }) => one),
      keyCredentials: [],
      ...body,
    })
    return { ...application, passwordCredentials: made }
  }

  applicationByUniqueName(name: string): Json {
    const found = [...this.applications.values()].find(({ uniqueName }) => uniqueName === name)
    return this.get(this.applications, String(found?.id ?? name))
  }

  /** The properties that Microsoft Graph lists separately from the application. */
  federatedCredentials(id: string): Json[] {
    return (this.get(this.applications, id).federatedIdentityCredentials ?? []) as Json[]
  }

  owners(objects: Map<string, Json>, id: string): Json[] {
    return (this.get(objects, id).owners ?? []) as Json[]
  }

  updateApplication(id: string, body: Json): void {
    const before = this.get(this.applications, id)
    if ('appRoles' in body) judgeRoles(before.appRoles as Role[], body.appRoles as Role[])
    const wanted = (body.identifierUris ?? []) as string[]
    for (const other of this.applications.values())
      if (
        other !== before &&
        wanted.some((uri) => (other.identifierUris as string[]).includes(uri))
      )
        throw bad(
          'Another object with the same value for property identifierUris already exists.',
          'Request_MultipleObjectsWithSameKeyValue',
        )
    if (wanted.some((uri) => uri.startsWith('https://')))
      throw bad(
        `Values of identifierUris property must use a verified domain of the organization or its subdomain: '${wanted}'`,
        'HostNameNotOnVerifiedDomain',
      )
    Object.assign(before, body)
  }

  deleteApplication(id: string): void {
    const { appId } = this.get(this.applications, id)
    this.applications.delete(id)
    for (const one of this.servicePrincipals.values())
      if (one.appId === appId) this.servicePrincipals.delete(String(one.id))
  }

  createServicePrincipal(body: Json): Json {
    const application = [...this.applications.values()].find(({ appId }) => appId === body.appId)
    if (application === undefined || !this.#isSeen(String(application.id)))
      throw bad(
        `The appId '${body.appId}' of the service principal does not reference a valid application object.`,
      )
    if ([...this.servicePrincipals.values()].some(({ appId }) => appId === body.appId))
      throw new Refusal(409, 'Request_MultipleObjectsWithSameKeyValue', 'is already in use.')
    const { displayName } = application
    const defaults = { accountEnabled: true, appRoleAssignmentRequired: false }
    return this.#add(this.servicePrincipals, {
      id: randomUUID(),
      displayName,
      ...defaults,
      ...body,
    })
  }

  assign(body: Json): Json {
    const { principalId, resourceId, appRoleId } = body
    for (const id of [principalId, resourceId])
      if (!this.servicePrincipals.has(String(id)) || !this.#isSeen(String(id)))
        throw bad('Not a valid reference update.')
    const appId = this.servicePrincipals.get(String(resourceId))?.appId
    const roles = [...this.applications.values()].find((one) => one.appId === appId)?.appRoles
    if (!(roles as Role[]).some((role) => role.id === appRoleId && role.isEnabled))
      throw bad('Permission being assigned was not found on application')
    const same = [...this.assignments.values()].some(
      (one) => one.principalId === principalId && one.appRoleId === appRoleId,
    )
    if (same) throw bad('Permission being assigned already exists on the object')
    return this.#add(this.assignments, { id: randomUUID(), ...body })
  }

  addPassword(id: string, { passwordCredential }: Json): Json {
    const application = this.get(this.applications, id)
    const made = this.#newSecret(application.appId, passwordCredential as Json)
    const { secretText, ...credential } = made
    ;(application.passwordCredentials as Json[]).push(credential)
    return made
  }

  /** A secret with its text, which the fake shows only once. */
  #newSecret(appId: unknown, passwordCredential: Json): Json {
    const secretText = `secret~${randomUUID()}`
    this.#secrets.set(secretText, appId)
    const [keyId, startDateTime] = [randomUUID(), this.now().toISOString()]
    return { keyId, startDateTime, ...passwordCredential, hint: secretText.slice(0, 3), secretText }
  }

  /** Whether a client has this secret. The fake knows the secrets, and never returns them again. */
  hasSecret(appId: string | null, secretText: string | null): boolean {
    return secretText !== null && this.#secrets.get(secretText) === appId
  }

  removePassword(id: string, keyId: string): void {
    const application = this.get(this.applications, id)
    const before = application.passwordCredentials as Json[]
    application.passwordCredentials = before.filter((one) => one.keyId !== keyId)
    if ((application.passwordCredentials as Json[]).length === before.length)
      throw bad('No password credential found with keyId.')
  }
}

function judgeRoles(before: readonly Role[], after: readonly Role[]): void {
  for (const role of before.filter(({ isEnabled }) => isEnabled)) {
    const next = after.find(({ id }) => id === role.id)
    if (next === undefined || (next.isEnabled && next.value !== role.value))
      throw bad(
        'Permission (scope or role) cannot be deleted or updated unless disabled first.',
        'CannotDeleteOrUpdateEnabledEntitlement',
      )
  }
  for (const role of after)
    if ('origin' in role) throw bad("Property 'origin' is read-only and cannot be set.")
}
