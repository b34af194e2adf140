import { FakeDirectory, type Json, Refusal } from './fake-directory.ts'

/** A fault that replaces the answer to the next request with a matching method and path. */
export type ScriptedFault = {
  readonly line: RegExp
  readonly status: number
  readonly headers?: Record<string, string>
  /** Whether the request is executed, so that only its answer is lost. */
  readonly afterwards?: true
  readonly body?: object
  times: number
}

/** A request of a batch. */
type Part = {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: object
}

type Asked = { readonly ids: string[]; readonly url: URL; readonly body: Json }
type Route = [string, RegExp, (asked: Asked) => unknown]

const tokenOfAdministrator = 'token-of-the-administrator'

export const administrator = {
  TENANT_ID: '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11',
  CLIENT_ID: '0d3f3f5e-1c1a-4a38-9c0d-0a5d7e0a1b11',
  CLIENT_SECRET: 'canary~secret-of-the-administrator',
}

/**
 * A fake of Microsoft Graph and its token endpoint, as their documents describe them: a handler in the
 * form of `fetch`, with pages of two objects, scripted faults, and a log of the requests.
 */
export class FakeGraph {
  readonly directory = new FakeDirectory()
  readonly faults: ScriptedFault[] = []
  /** Every Graph request, as `METHOD /path`, also those of batches. */
  readonly lines: string[] = []
  /** The number of requests of each batch. */
  readonly batches: number[] = []
  /** The roles that the administrator lacks. */
  roles = ['Application.ReadWrite.All', 'AppRoleAssignment.ReadWrite.All']
  pageSize = 2
  /** The token of clients that have one of the secrets of the directory. */
  tokenOfOthers = 'token-of-a-client'

  readonly handle = (request: Request): Promise<Response> => this.#handle(request)

  async #handle(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const text = await request.text()
    if (url.pathname === `/${administrator.TENANT_ID}/oauth2/v2.0/token`) return this.#grant(text)
    const line = `${request.method} ${url.pathname.replace('/v1.0', '')}`
    const isBatch = line === 'POST /$batch'
    if (!isBatch) this.lines.push(line)
    const fault = this.faults.find((one) => one.times > 0 && one.line.test(line))
    if (fault !== undefined) fault.times -= 1
    const answer = () =>
      isBatch ? this.#answerBatch(request, text) : this.#answer(request, line, url, text)
    if (fault === undefined) return answer()
    if (fault.afterwards) await answer()
    if (fault.status === 0) throw new TypeError('fetch failed')
    const {
      status,
      headers = {},
      body = { error: { code: 'scripted', message: 'a scripted fault' } },
    } = fault
    return Response.json(body, { status, headers })
  }

  /** A part without an answer breaks the connection of the batch, after the others are executed. */
  async #answerBatch(request: Request, text: string): Promise<Response> {
    const { requests } = JSON.parse(text) as { readonly requests: readonly Part[] }
    this.batches.push(requests.length)
    const answers = await Promise.allSettled(
      requests.map(async ({ id, method, url, headers, body }) => {
        const response = await this.#handle(
          new Request(`${new URL(request.url).origin}/v1.0${url}`, {
            method,
            headers: { ...headers, authorization: request.headers.get('authorization') ?? '' },
            ...(body && { body: JSON.stringify(body) }),
          }),
        )
        const content = await response.text()
        const parsed = content === '' ? {} : { body: JSON.parse(content) }
        return { id, status: response.status, headers: titled(response.headers), ...parsed }
      }),
    )
    // In no order, as in Microsoft Graph.
    const responses = answers
      .map((answer) => {
        if (answer.status === 'rejected') throw answer.reason
        return answer.value
      })
      .reverse()
    return Response.json({ responses })
  }

  #grant(form: string): Response {
    const fields = new URLSearchParams(form)
    const [id, secret] = [fields.get('client_id'), fields.get('client_secret')]
    if (this.directory.hasSecret(id, secret)) return granted(this.tokenOfOthers)
    const isAdministrator = secret === administrator.CLIENT_SECRET
    const isForGraph = fields.get('scope') === 'https://graph.microsoft.com/.default'
    return isAdministrator && isForGraph ? granted(tokenOfAdministrator) : invalidClient()
  }

  async #answer(request: Request, line: string, url: URL, text: string): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${tokenOfAdministrator}`)
      return refuse(new Refusal(401, 'InvalidAuthenticationToken', 'Access token is empty.'))
    const needed = /appRoleAssign/.test(line)
      ? 'AppRoleAssignment.ReadWrite.All'
      : 'Application.ReadWrite.All'
    if (request.method !== 'GET' && !this.roles.includes(needed))
      return refuse(new Refusal(403, 'Authorization_RequestDenied', 'Insufficient privileges.'))
    try {
      for (const [method, path, carryOut] of this.#routes) {
        const found = path.exec(url.pathname.replace('/v1.0', ''))
        if (method !== request.method || found === null) continue
        const body = text === '' ? {} : JSON.parse(text)
        this.#demandState(found[1], request.headers.get('if-match'))
        const answer = carryOut({ ids: found.slice(1), url, body })
        return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer)
      }
      throw new Refusal(400, 'BadRequest', `Resource not found for ${line}.`)
    } catch (error) {
      if (error instanceof Refusal) return refuse(error)
      throw error
    }
  }

  #demandState(id: string | undefined, ifMatch: string | null): void {
    const etag = this.directory.applications.get(id ?? '')?.['@odata.etag']
    if (ifMatch !== null && ifMatch !== etag)
      throw new Refusal(412, 'Request_PreconditionFailed', 'The object was changed.')
  }

  get #routes(): Route[] {
    const { directory } = this
    const { applications, servicePrincipals, assignments } = directory
    return [
      [
        'GET',
        /^\/applications$/,
        ({ url }) => this.#page(url, directory.list(applications).map(withoutRelated)),
      ],
      ['POST', /^\/applications$/, ({ body }) => directory.createApplication(body)],
      [
        'GET',
        /^\/applications\(uniqueName='([^']+)'\)$/,
        ({ ids: [name = ''] }) => directory.applicationByUniqueName(name),
      ],
      [
        'GET',
        /^\/applications\/([^/]+)$/,
        ({ ids: [id = ''] }) => withoutRelated(directory.get(applications, id)),
      ],
      [
        'PATCH',
        /^\/applications\/([^/]+)$/,
        ({ ids: [id = ''], body }) => directory.updateApplication(id, body),
      ],
      [
        'DELETE',
        /^\/applications\/([^/]+)$/,
        ({ ids: [id = ''] }) => directory.deleteApplication(id),
      ],
      [
        'GET',
        /^\/applications\/([^/]+)\/federatedIdentityCredentials$/,
        ({ ids: [id = ''], url }) => this.#page(url, directory.federatedCredentials(id)),
      ],
      [
        'GET',
        /^\/applications\/([^/]+)\/owners$/,
        ({ ids: [id = ''], url }) => this.#page(url, directory.owners(applications, id)),
      ],
      [
        'GET',
        /^\/servicePrincipals\/([^/]+)\/owners$/,
        ({ ids: [id = ''], url }) => this.#page(url, directory.owners(servicePrincipals, id)),
      ],
      [
        'POST',
        /^\/applications\/([^/]+)\/addPassword$/,
        ({ ids: [id = ''], body }) => directory.addPassword(id, body),
      ],
      [
        'POST',
        /^\/applications\/([^/]+)\/removePassword$/,
        ({ ids: [id = ''], body }) => directory.removePassword(id, String(body.keyId)),
      ],
      [
        'GET',
        /^\/servicePrincipals$/,
        ({ url }) => this.#page(url, directory.list(servicePrincipals).map(this.#withRoles)),
      ],
      [
        'GET',
        /^\/servicePrincipals\(appId='([^']+)'\)$/,
        ({ ids: [appId] }) =>
          [...servicePrincipals.values()].find((one) => one.appId === appId) ?? {},
      ],
      ['POST', /^\/servicePrincipals$/, ({ body }) => directory.createServicePrincipal(body)],
      [
        'PATCH',
        /^\/servicePrincipals\/([^/]+)$/,
        ({ ids: [id = ''], body }) => {
          Object.assign(directory.get(servicePrincipals, id), body)
        },
      ],
      [
        'GET',
        /^\/servicePrincipals\/([^/]+)\/appRoleAssignments$/,
        ({ ids: [id], url }) =>
          this.#page(
            url,
            directory.list(assignments).filter(({ principalId }) => principalId === id),
          ),
      ],
      [
        'GET',
        /^\/servicePrincipals\/([^/]+)\/appRoleAssignedTo$/,
        ({ ids: [id], url }) =>
          this.#page(
            url,
            directory.list(assignments).filter(({ resourceId }) => resourceId === id),
          ),
      ],
      [
        'POST',
        /^\/servicePrincipals\/[^/]+\/appRoleAssignedTo$/,
        ({ body }) => directory.assign(body),
      ],
      [
        'DELETE',
        /^\/servicePrincipals\/[^/]+\/appRoleAssignments\/([^/]+)$/,
        ({ ids: [id = ''] }) => {
          directory.get(assignments, id)
          assignments.delete(id)
        },
      ],
    ]
  }

  readonly #withRoles = (principal: Json): Json => {
    const { applications } = this.directory
    const application = [...applications.values()].find(({ appId }) => appId === principal.appId)
    return {
      ...withoutRelated(principal),
      appRoles: application?.appRoles ?? principal.appRoles ?? [],
    }
  }

  #page(url: URL, all: readonly Json[]): Json {
    const filter = url.searchParams.get('$filter')
    const found = filter === null ? all : all.filter((one) => matches(one, filter))
    const start = Number(url.searchParams.get('$skiptoken') ?? 0)
    const end = start + this.pageSize
    const next = new URL(url)
    next.searchParams.set('$skiptoken', String(end))
    return {
      value: found.slice(start, end),
      ...(end < found.length && { '@odata.nextLink': next.href }),
    }
  }
}

/** Microsoft Graph lists related objects by separate requests only. */
const withoutRelated = ({ federatedIdentityCredentials, owners, ...own }: Json): Json => own

function matches(object: Json, filter: string): boolean {
  const found =
    /^(?:(?<any>identifierUris|servicePrincipalNames)\/any\(x:x eq |(?<property>\w+) eq )'(?<text>(?:[^']|'')*)'\)?$/.exec(
      filter,
    )
  if (found?.groups === undefined) throw new Refusal(400, 'BadRequest', `Invalid filter: ${filter}`)
  const { any, property = '', text = '' } = found.groups
  const literal = text.replaceAll("''", "'")
  if (any !== undefined) return ((object[any] ?? []) as string[]).includes(literal)
  return String(object[property]).toLowerCase() === literal.toLowerCase()
}

/** Headers of a part, written as Microsoft Graph does. */
const titled = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name.replace(/\b\w/g, (one) => one.toUpperCase()), value]),
  )

const invalidClient = () =>
  Response.json(
    { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.' },
    { status: 401 },
  )

const granted = (token: string) =>
  Response.json({ token_type: 'Bearer', expires_in: 3599, access_token: token })

const refuse = ({ status, code, message }: Refusal) =>
  Response.json(
    { error: { code, message, innerError: { 'request-id': 'request-of-the-test' } } },
    { status },
  )
