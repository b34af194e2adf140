// Folder: The management APIs, as the pages call them.

import type { ServerEnv } from '@greeting/http-service'
import {
  type Graph,
  type GraphAnswer,
  GraphRefusalError,
  type GraphRequest,
  parseAnswer,
} from '@greeting/registrations/apply'
import type { Context } from 'hono'
import { z } from 'zod'
import type { CallAsAdministrator, PortalHost } from '../portal-host.ts'
import type { FormTokens, PortalSession } from '../security/portal-sessions.ts'

/** Any base: the management APIs read only the path of a request. */
const base = 'http://portal.invalid'
// As in the command. More objects than any tenant has.
const maxPages = 10_000

const page = z.object({
  '@odata.count': z.number().optional(),
  '@odata.nextLink': z.string().optional(),
  value: z.array(z.unknown()),
})

/**
 * A management API, called within this process as one administrator. Its operations check the roles
 * and write the audit log, as for a request from the network.
 */
export class InProcessGraph implements Graph {
  readonly #call: CallAsAdministrator
  readonly #administrator: Parameters<CallAsAdministrator>[0]
  readonly #root: string
  #changes = 0
  #attempts = 0

  /** @param root the path of the API: `/v1.0`, `/management` or `/lab` */
  constructor(
    call: CallAsAdministrator,
    administrator: Parameters<CallAsAdministrator>[0],
    root: string,
  ) {
    this.#call = call
    this.#administrator = administrator
    this.#root = root
  }

  /** The number of changes that it has made. */
  get changes(): number {
    return this.#changes
  }

  /** Whether the result of a change is not known, because the store did not answer. */
  get isUncertain(): boolean {
    return this.#attempts > this.#changes
  }

  async send({ method, path, body, ifMatch }: GraphRequest): Promise<GraphAnswer> {
    const target = path.startsWith('http') ? pathOf(path) : `${this.#root}${path}`
    const request = new Request(`${base}${target}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(ifMatch && { 'if-match': ifMatch }),
        // Searches are advanced queries of Microsoft Graph.
        consistencylevel: 'eventual',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (method !== 'GET') this.#attempts += 1
    const response = await this.#call(this.#administrator, request)
    const text = await response.text()
    const answer = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) throw new GraphRefusalError({ method, path }, response.status, answer)
    if (method !== 'GET') this.#changes += 1
    return { body: answer, etag: response.headers.get('etag') ?? undefined }
  }

  /** One object, in the form of a schema. */
  async get<One>(path: string, schema: z.ZodType<One>): Promise<One> {
    const line = { method: 'GET', path } as const
    const { body } = await this.send(line)
    return parseAnswer(line, schema, body)
  }

  async list<One>(path: string, schema: z.ZodType<One>): Promise<One[]> {
    const found: One[] = []
    for await (const some of this.pages(path, schema)) for (const one of some) found.push(one)
    return found
  }

  /** One page of a list, with the link to the next one. */
  async page<One>(path: string, schema: z.ZodType<One>) {
    const { value, ...rest } = await this.get(path, page)
    return { ...rest, value: value.map((one) => parseAnswer({ method: 'GET', path }, schema, one)) }
  }

  async *pages<One>(path: string, schema: z.ZodType<One>): AsyncGenerator<One[]> {
    let next = path
    for (let count = 0; count < maxPages; count += 1) {
      const { value, '@odata.nextLink': link } = await this.page(next, schema)
      yield value
      if (link === undefined) return
      next = link
    }
  }
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

/** One request of an administrator who is signed in. */
export type AdministratorRequest = {
  readonly host: PortalHost
  readonly session: PortalSession
  readonly administratorName: string
  readonly tenantName: string
  readonly now: Date
  readonly graph: InProcessGraph
  readonly management: InProcessGraph
  /** The operations of the lab; undefined when it is off. */
  readonly lab: InProcessGraph | undefined
  /** The token of a form that is sent to this path. */
  readonly tokenOf: (action: string) => string
  /** The entries of the navigation, with the path of the first page of each. */
  readonly navigation: readonly NavigationEntry[]
  /** The entry that contains the page; undefined when the portal answers in its place. */
  readonly section?: string
  /** The HTTP request of the page. */
  readonly context?: Context<ServerEnv>
}

export type NavigationEntry = { readonly name: string; readonly path: string }

/** Prepares the APIs of an administrator for one request. */
export async function openRequest(
  host: PortalHost,
  formTokens: FormTokens,
  navigation: readonly NavigationEntry[],
  session: PortalSession,
): Promise<AdministratorRequest> {
  const graph = (root: string) => new InProcessGraph(host.call, session, root)
  return {
    host,
    session,
    ...(await host.namesOf(session)),
    now: host.now(),
    graph: graph('/v1.0'),
    management: graph('/management'),
    lab: host.lab && graph('/lab'),
    tokenOf: (action) => formTokens.tokenOf(session, action),
    navigation,
  }
}

/** A form that the portal itself refuses, before it calls an operation. */
export class ActionFault extends Error {
  readonly code = 'portal_form_invalid'
  override readonly name = 'ActionFault'
  readonly status = 400
}

export const actionFault = (sentence: string, options?: ErrorOptions): ActionFault =>
  new ActionFault(sentence, options)
