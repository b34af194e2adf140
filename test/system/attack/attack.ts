import { attackPortal } from './attack-portal.ts'
import { buildMove } from './build-move.ts'
import type { DocumentedOperation, ManagementApi, Role } from './documented-roles.ts'
import { type Caller, undueReason } from './judge-answer.ts'
import { ClientCertificate, type ManagementClient, prefixes, rolesIn } from './management-client.ts'
import type { Answer, Move, MoveContext, SeenPart } from './move.ts'
import { authorityOf, type ObservedDirectory } from './observed-directory.ts'
import type { PortalVisitor } from './portal-visitor.ts'
import { RandomChoices } from './random-choices.ts'
import type { Administrator, Key } from './registrar.ts'
import { type Attacker, type Scene, setScene } from './set-scene.ts'

export type AttackOptions = {
  readonly client: ManagementClient
  readonly administrator: Administrator
  readonly operations: readonly DocumentedOperation[]
  readonly roles: Readonly<Record<ManagementApi, readonly Role[]>>
  /** Requests outside of the two APIs, each of which must be refused: `POST /lab/reset`. */
  readonly forbidden: readonly string[]
  /** A certificate for each attacker. */
  readonly certificates: readonly ClientCertificate[]
}

/** The findings of one run. */
export type Findings = {
  /** One sentence for each answer that the reference does not permit. */
  readonly undue: string[]
  /** Answers by operation: how many were a success, and how many a refusal. */
  readonly answers: Map<string, { done: number; refused: number }>
  tokens: number
}

type CallerWithToken = {
  readonly attacker: Attacker
  readonly caller: Caller
  readonly token: string
}

const movesInSequence = 20
const sequencesInScene = 20
/** The weights of operations that change who may do what. The others have 1. */
const weights: readonly [RegExp, number][] = [
  // There are many with the checks of another operation, or that give no authority.
  [/microsoft\.graph\.agent|Polic(y|ies)|certificateAuthorities/, 0.4],
  [
    /addPassword|addKey|appRoleAssign|restore|administrator|PATCH \/(a|s)|POST \/(applications|servicePrincipals)$/,
    5,
  ],
  [/^POST \/oauth2PermissionGrants/, 3],
  [/^GET /, 0.4],
]
const weightOf = ({ operation }: DocumentedOperation) =>
  weights.find(([pattern]) => pattern.test(operation))?.[1] ?? 1

/** Whether an attacker has a credential of an application. One of another client may be refused. */
const holds = ({ keys }: Attacker, appId: string, tenantId: string, directory: ObservedDirectory) =>
  keys.some(
    (key) =>
      key.appId === appId &&
      (typeof key.credential === 'string' || key.credential instanceof ClientCertificate) &&
      directory.reaches(key, tenantId),
  )

/** Sends random sequences of requests as callers of every kind, and compares the responses with the reference. */
export class Attack {
  readonly findings: Findings = { undue: [], answers: new Map(), tokens: 0 }
  readonly #options: AttackOptions
  readonly #weighted: readonly DocumentedOperation[]
  #seen: SeenPart[] = []
  #visitors = new Map<string, PortalVisitor>()

  constructor(options: AttackOptions) {
    this.#options = options
    this.#weighted = options.operations.flatMap((one) =>
      Array.from({ length: Math.ceil(weightOf(one) * 5) }, () => one),
    )
  }

  /** Runs sequences, which share their tenants in groups. The same seed makes the same choices. */
  async run(sequences: number, seed: number, progress?: (done: number) => void): Promise<void> {
    for (let done = 0; done < sequences; ) {
      const random = new RandomChoices(seed + done)
      const { client, administrator, roles } = this.#options
      this.#seen = []
      this.#visitors = new Map()
      const scene = await setScene(client, administrator, roles, random)
      for (let one = 0; one < sequencesInScene && done < sequences; one += 1, done += 1)
        await this.#sequence(scene, random, `seed ${seed + done - one}, sequence ${one}`)
      progress?.(done)
    }
  }

  async #sequence(scene: Scene, random: RandomChoices, name: string): Promise<void> {
    const kept: CallerWithToken[] = []
    for (let move = 0; move < movesInSequence; move += 1) {
      const attacker = random.oneOf(scene.attackers)
      const credential = await this.#credential(scene, attacker, kept, random, name)
      if (credential === undefined) continue
      if (random.isLikely(0.1)) await this.#visitPortal(scene, attacker, random, name)
      else if (random.isLikely(0.02)) await this.#askForbidden(credential, random, name)
      else if (random.isLikely(0.15)) await this.#batch(scene, credential, random, name)
      else await this.#single(scene, credential, random, name)
    }
    for (const attacker of scene.attackers)
      for (const key of attacker.keys.slice(-6))
        for (const tenantId of scene.tenantIds)
          await this.#token(attacker, key, tenantId, random.oneOf(['graph', 'server']), name)
  }

  /** A token of one kind: new, kept from before, of another API, changed, or none. */
  async #credential(
    scene: Scene,
    attacker: Attacker,
    kept: CallerWithToken[],
    random: RandomChoices,
    name: string,
  ): Promise<CallerWithToken | undefined> {
    const old = kept.filter((one) => one.attacker === attacker)
    if (old.length > 0 && random.isLikely(0.4)) return random.oneOf(old)
    const key = random.oneOf(attacker.keys)
    const inTenants = scene.directory.principalsOf(key.appId).map((one) => one.tenantId)
    const likely = scene.tenantIds.filter((one) => inTenants.includes(one))
    const tenantId = random.oneOf(
      likely.length > 0 && random.isLikely(0.9) ? likely : scene.tenantIds,
    )
    const isServer = tenantId === scene.tenantIds[0] && random.isLikely(0.6)
    const api = isServer ? 'server' : 'graph'
    const token = await this.#token(attacker, key, tenantId, api, name)
    if (token === undefined) return undefined
    const { appId } = key
    const caller: Caller = { isGenuine: true, api, tenantId, appId, roles: new Set(rolesIn(token)) }
    const credential = { attacker, caller, token }
    kept.push(credential)
    if (random.isLikely(0.9)) return credential
    const isGenuine = false
    const [header = '', payload = '', signature = ''] = token.split('.')
    const json = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const everything = this.#options.roles[api].map((role) => role.name)
    const changed = Buffer.from(
      JSON.stringify({ ...json, roles: everything, changed: true }),
    ).toString('base64url')
    const unsigned = Buffer.from('{"typ":"JWT","alg":"none"}').toString('base64url')
    const decoy = await this.#options.client.token(
      tenantId,
      { scope: scene.decoyScope },
      appId,
      key.credential,
    )
    const forged = [
      '',
      `${header}.${changed}.${signature}`,
      `${unsigned}.${changed}.`,
      ...(decoy ? [decoy] : []),
    ]
    return { attacker, caller: { ...caller, isGenuine }, token: random.oneOf(forged) }
  }

  /** Requests a token, and compares its roles with those that the attacker may have. */
  async #token(attacker: Attacker, key: Key, tenantId: string, api: ManagementApi, name: string) {
    const token = await this.#options.client.token(tenantId, api, key.appId, key.credential)
    if (token === undefined) return undefined
    this.findings.tokens += 1
    for (const role of rolesIn(token)) {
      const authority = authorityOf(tenantId, api, role)
      if (attacker.due.has(authority)) continue
      this.findings.undue.push(`${name}: a token has ${authority}, by a credential of ${key.appId}`)
    }
    // The same certificate may be that of the application too.
    const isGoodThere = attacker.keys.some(
      (one) =>
        one.appId === key.appId &&
        one.credential === key.credential &&
        (one.tenantId ?? tenantId) === tenantId,
    )
    if (!isGoodThere)
      this.findings.undue.push(
        `${name}: a credential of ${key.tenantId} got a token of ${tenantId}`,
      )
    return token
  }

  #context(scene: Scene, sender: CallerWithToken, random: RandomChoices): MoveContext {
    const { roles, certificates, client } = this.#options
    const { caller, attacker } = sender
    const [fallback] = certificates
    const certificate = certificates[scene.attackers.indexOf(attacker)] ?? fallback
    if (certificate === undefined) throw new Error('the attackers have no certificate')
    const knows = (one: Attacker) =>
      one === attacker || holds(one, caller.appId, caller.tenantId, scene.directory)
    return {
      random,
      caller,
      roles,
      certificate,
      certificates,
      seen: this.#seen,
      origin: client.origin,
      directory: scene.directory,
      tenantIds: scene.tenantIds,
      observe: scene.observe,
      learn: (appId, credential, tenantId) => {
        // A certificate is that of the sender. Who knows a credential of the caller may have seen a secret.
        const learners =
          credential instanceof ClientCertificate ? [attacker] : scene.attackers.filter(knows)
        for (const one of learners) one.keys.push({ appId, credential, tenantId })
      },
      given: (appId, authority) => this.#give(scene, appId, authority),
      trusts: (appId, clientAppId) => {
        for (const { keys } of scene.attackers) {
          const key = keys.find(
            (one) => one.appId === clientAppId && scene.directory.reaches(one, caller.tenantId),
          )
          if (key) keys.push({ appId, credential: key, tenantId: undefined })
        }
      },
    }
  }

  #chosen(caller: Caller, random: RandomChoices): DocumentedOperation {
    const operation = random.oneOf(this.#weighted)
    return operation.api === caller.api || random.isLikely(0.05)
      ? operation
      : this.#chosen(caller, random)
  }

  async #single(scene: Scene, sender: CallerWithToken, random: RandomChoices, name: string) {
    const { caller, token } = sender
    const context = this.#context(scene, sender, random)
    const move = buildMove(this.#chosen(caller, random), context)
    const prefix = random.isLikely(0.1) && move.operation.api === 'graph' ? '/beta' : undefined
    const path = `${prefix ?? prefixes[move.operation.api]}${move.path}`
    const { client } = this.#options
    const reply = await client.send(move.method, path, token || undefined, move.body, move.headers)
    await this.#judge(scene, caller, [{ move, status: reply.status, body: reply.body }], name)
    if (reply.status < 300 && move.operation.api === 'graph')
      this.#findLeaks(scene, caller, move, reply.text, name)
  }

  async #batch(scene: Scene, sender: CallerWithToken, random: RandomChoices, name: string) {
    const { caller, token } = sender
    const context = this.#context(scene, sender, random)
    const moves = Array.from({ length: 2 + random.below(4) }, () =>
      buildMove(this.#chosen({ ...caller, api: 'graph' }, random), context),
    ).filter(({ operation }) => operation.api === 'graph')
    const requests = moves.map(({ method, path, body, headers }, index) => ({
      id: `${index}`,
      method,
      url: path,
      ...(body && { body }),
      headers: { 'content-type': 'application/json', ...headers },
    }))
    const { client } = this.#options
    const reply = await client.send('POST', '/v1.0/$batch', token || undefined, { requests })
    if (reply.status >= 300) return
    const responses = reply.body.responses as { id: string; status: number; body?: Answer }[]
    const answers = responses.flatMap(({ id, status, body }) => {
      const move = moves[Number(id)]
      return move ? [{ move, status, body: body ?? {} }] : []
    })
    await this.#judge(scene, caller, answers, name)
  }

  /** The parts of a batch run at the same time, so each may see the state before it or after it. */
  async #judge(
    scene: Scene,
    caller: Caller,
    answers: readonly { readonly move: Move; readonly status: number; readonly body: Answer }[],
    name: string,
  ): Promise<void> {
    const reasonOf = ({ operation, target }: Move) =>
      undueReason(operation, caller, target, scene.directory)
    const succeeded = answers.filter(({ status }) => status < 300)
    const before = succeeded.map(({ move }) => reasonOf(move))
    for (const { move, body } of succeeded) await move.onSuccess(body)
    for (const [index, { move }] of succeeded.entries()) {
      const reason = before[index]
      if (reason === undefined || (succeeded.length > 1 && reasonOf(move) === undefined)) continue
      const { api, operation } = move.operation
      this.findings.undue.push(
        `${name}: ${api} ${operation} by ${caller.appId} succeeded, but ${reason}`,
      )
    }
    for (const { move, status } of answers) {
      const key = `${move.operation.api} ${move.operation.operation}`
      this.#count(key, status < 300)
      if (status === 500) this.findings.undue.push(`${name}: ${key} was answered with ${status}`)
    }
  }

  /** No answer of Graph names an object of another tenant. */
  #findLeaks(scene: Scene, caller: Caller, { operation, body }: Move, text: string, name: string) {
    const { applications, principals } = scene.directory
    const foreign = [
      ...[...applications.values()].filter((one) => one.homeTenantId !== caller.tenantId),
      ...[...principals.values()].filter((one) => one.tenantId !== caller.tenantId),
    ]
    // A federated credential shows the subject that its caller chose.
    if (operation.operation.includes('federated')) return
    const sent = JSON.stringify(body ?? {})
    const leaked = foreign.find(({ id }) => text.includes(id) && !sent.includes(id))
    if (leaked === undefined) return
    this.findings.undue.push(`${name}: ${operation.operation} shows ${leaked.id} of another tenant`)
  }

  async #visitPortal(scene: Scene, attacker: Attacker, random: RandomChoices, name: string) {
    const { client, operations } = this.#options
    const result = await attackPortal(attacker, {
      scene,
      random,
      operations,
      origin: client.origin,
      visitors: this.#visitors,
      given: (appId, authority) => this.#give(scene, appId, authority),
    })
    if (result === undefined) return
    this.#count(`portal ${result.form}`, result.isDone)
    for (const reason of result.undue)
      this.findings.undue.push(`${name}: the portal did ${result.form}, but ${reason}`)
  }

  /** Notes that a management role was given, for all who have a credential that leads to it. */
  #give({ attackers, directory }: Scene, appId: string, authority: string): void {
    const [tenantId = ''] = authority.split(' ')
    for (const one of attackers) if (holds(one, appId, tenantId, directory)) one.due.add(authority)
  }

  #count(what: string, isDone: boolean): void {
    const count = this.findings.answers.get(what) ?? { done: 0, refused: 0 }
    if (isDone) count.done += 1
    else count.refused += 1
    this.findings.answers.set(what, count)
  }

  async #askForbidden(
    { token }: CallerWithToken,
    random: RandomChoices,
    name: string,
  ): Promise<void> {
    if (this.#options.forbidden.length === 0) return
    const request = random.oneOf(this.#options.forbidden)
    const [method = '', path = ''] = request.split(' ')
    const { status } = await this.#options.client.send(
      ...([method, path.replace(/\{\w+\}/, '1'), token || undefined] as const),
      method === 'POST' ? {} : undefined,
    )
    this.#count(request, status < 400)
    if (status < 400) this.findings.undue.push(`${name}: ${request} was answered with ${status}`)
  }
}
